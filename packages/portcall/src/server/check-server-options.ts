import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { describe } from '../../../util/src/describe.ts'
import { isObject } from '../jsonrpc/message.ts'
import { CACHE_HINT } from './check-definition.ts'
import { type Cacheable, SERVER_LIMITS, type ServerOptions } from './options.ts'
import type { UseOptions } from './types.ts'

const NAMES: OptionNames<ServerOptions> = {
  instructions: 'text',
  sealingKeys: 'texts',
  singleUseRequestState: ['steps', 'always'],
  pageSize: 'count',
  cache: 'object',
  extensions: 'array',
  capabilities: 'texts',
  onInsufficientScope: ['challenge', 'hide'],
  stores: 'stores',
  limits: 'object',
  onEvent: 1,
  logger: 'logger',
}
const CACHE: { readonly [result in Cacheable]: 1 } = { discover: 1, tools: 1, resources: 1, templates: 1, prompts: 1, read: 1 }
const TOOLS = 'Register tools with server.tool(name, definition, handler)'
const ADVICE = { tools: TOOLS, name: 'It belongs to the first argument', onError: 'Use "onEvent"' }
const USAGE = "createServer({ name: 'weather', version: '1.0.0' }, options)"

/** Checks the arguments of `createServer`, since JavaScript passes anything. @throws TypeError. */
export function checkServerOptions(info: unknown, options: ServerOptions): void {
  const { name, version } = isObject(info) ? info : {}
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new TypeError(`createServer() needs the name and the version of the server: ${USAGE}`)
  checkOptions('createServer()', options, { names: NAMES, advice: ADVICE })
  const { limits = {}, extensions = [] } = options
  checkOptions('createServer(): limits', limits, { names: SERVER_LIMITS })
  checkOptions('createServer(): cache', options.cache ?? {}, { names: CACHE })
  for (const [result, hint] of Object.entries(options.cache ?? {}))
    checkOptions(`createServer(): cache.${result}`, hint, CACHE_HINT)
  for (const extension of extensions)
    if (typeof extension?.install !== 'function')
      throw new TypeError(
        `createServer(): extensions contains ${describe(extension)}, not an extension. Call its function: tasks()`,
      )
}

const USE: OptionNames<UseOptions> = { innermost: 'boolean', onClose: 1 }

/** Checks the arguments of `server.use`. @throws TypeError. */
export function checkUse(middleware: unknown, options: UseOptions): void {
  checkOptions('server.use()', { middleware }, { names: MIDDLEWARE, required: MIDDLEWARE_REQUIRED })
  checkOptions('server.use()', options, { names: USE })
}

const MIDDLEWARE = { middleware: 'function' }
const MIDDLEWARE_REQUIRED = { middleware: 'Pass (request, context, next) => next(request, context)' }
