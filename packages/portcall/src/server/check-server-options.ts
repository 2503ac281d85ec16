import { isObject } from '../jsonrpc/message.ts'
import type { CacheHint } from '../protocol/types.ts'
import { checkOptions, describe, type OptionNames } from '../util/check-options.ts'
import { type Cacheable, SERVER_LIMITS, type ServerOptions } from './options.ts'

const NAMES: OptionNames<ServerOptions> = {
  instructions: 1,
  sealingKeys: 1,
  singleUseRequestState: 1,
  pageSize: 1,
  cache: 1,
  extensions: 1,
  capabilities: 1,
  onInsufficientScope: 1,
  stores: 1,
  limits: 1,
  onEvent: 1,
  logger: 1,
}
const CACHE: { readonly [result in Cacheable]: 1 } = { discover: 1, tools: 1, resources: 1, templates: 1, prompts: 1, read: 1 }
const HINT: OptionNames<CacheHint> = { ttlMs: 1, cacheScope: 1 }
const TOOLS = 'Register tools with server.tool(name, definition, handler)'
const ADVICE = { tools: TOOLS, name: 'It belongs to the first argument', onError: 'Use "onEvent"' }
const USAGE = "createServer({ name: 'weather', version: '1.0.0' }, options)"

/** Checks the arguments of `createServer`, since JavaScript passes anything. @throws TypeError. */
export function checkServerOptions(info: unknown, options: ServerOptions): void {
  const { name, version } = isObject(info) ? info : {}
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new TypeError(`createServer() needs the name and the version of the server: ${USAGE}`)
  checkOptions('createServer()', options, { names: NAMES, advice: ADVICE })
  const { limits = {}, stores, extensions = [] } = options
  checkOptions('createServer(): limits', limits, { names: SERVER_LIMITS })
  checkOptions('createServer(): cache', options.cache ?? {}, { names: CACHE })
  for (const [result, hint] of Object.entries(options.cache ?? {}))
    checkOptions(`createServer(): cache.${result}`, hint, {
      names: HINT,
      advice: { scope: 'Use "cacheScope"', ttl: 'Use "ttlMs"' },
    })
  for (const extension of extensions)
    if (typeof extension?.install !== 'function')
      throw new TypeError(
        `createServer(): extensions contains ${describe(extension)}, not an extension. Call its function: tasks()`,
      )
  if (stores && !(stores.store && stores.log && stores.bus))
    throw new TypeError('createServer(): stores must have a store, a log and a bus, as redisStores(…) and memoryStores() return')
}
