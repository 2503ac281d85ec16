import type { Awaitable } from '../../../util/src/awaitable.ts'
import { reportHandling } from '../jsonrpc/handling.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import { checkMethod, declaredSettings, installExtension, requireExtension } from '../protocol/extensions.ts'
import { compileSchema } from '../schema/compile.ts'
import type { CompiledSchema, Schema } from '../schema/standard.ts'
import type { Call, CallContext } from './call.ts'
import type { Handler } from './dispatch.ts'
import { InvalidOutputError } from './errors.ts'
import type {
  ExtensionMethod,
  ServerExtension,
  ServerExtensionContext,
  ServerExtensionDefinition,
  ServerExtensionPoints,
} from './extension.ts'
import { paginate } from './features/paging.ts'
import type { Server } from './types.ts'

/**
 * Defines an extension. Any number of servers can use it.
 *
 * @example
 * const shout = defineServerExtension({
 *   id: 'com.example/shout',
 *   name: 'shout',
 *   setup(context) {
 *     context.method('shout/text', { params: z.object({ text: z.string() }) }, ({ text }) => ({ text: `${text}!` }))
 *   },
 * })
 * const server = createServer({ name: 'loud', version: '1.0.0' }, { extensions: [shout] })
 */
export function defineServerExtension<const Name extends string, Api>(
  definition: ServerExtensionDefinition<Name, Api>,
): ServerExtension<Name, Api> {
  return {
    ...definition,
    settings: declaredSettings(definition),
    install: (server, points) =>
      installExtension(definition, { target: server, ids: points.extensionIds }, () =>
        definition.setup(createContext(definition.id, server, points)),
      ),
  }
}

function createContext(id: string, server: Server, points: ServerExtensionPoints): ServerExtensionContext {
  const { subscriptions, store, bus, sealer, pageSize: size, dispatch } = points
  const requireCapability: ServerExtensionContext['requireCapability'] = (call) => requireExtension(id, call.client.capabilities)
  return {
    server,
    store,
    bus,
    sealer,
    method(name, definition, handler) {
      checkMethod(id, name, points.handlers)
      const { nameParam, mayRequireInput, longLived, cache, open } = definition
      points.methods.set(name, {
        extension: id,
        ...(nameParam !== undefined && { nameParam }),
        ...(mayRequireInput && { mayRequireInput }),
        ...(longLived && { longLived }),
        ...(cache && { cacheable: true }),
      })
      const handle = createMethodHandler(definition, handler)
      points.handlers.set(
        name,
        open
          ? handle
          : (call) => {
              requireCapability(call)
              return handle(call)
            },
      )
    },
    useToolMiddleware: (middleware) => void points.toolMiddleware.push(middleware),
    toolAccess: points.toolAccess,
    extendToolListing: (extender) => void points.listingExtenders.push(extender),
    handleSubscriptionFilter(key, handler, { open = false } = {}) {
      if (points.filterHandlers.has(key))
        throw new TypeError(`The extension ${id} cannot handle the subscription filter ${key}: another extension does`)
      points.filterHandlers.set(key, (value, call) => {
        if (!open) requireCapability(call)
        return handler(value, call)
      })
    },
    publish: subscriptions.publish,
    capabilityOf: (call) => call.client.capabilities.extensions?.[id],
    requireCapability,
    paginate: (items, { request, auth }, keyOf) =>
      paginate(items, { cursor: request.params?.cursor, size, keyOf, list: request.method, principal: auth?.principal }, sealer),
    dispatch,
    requestStateOf: (call) => (call as CallContext).roundTrips.snapshot(),
    reportStart(call) {
      const own = call as CallContext
      own.hasStarted = true
      reportHandling(own.context, 'started')
    },
    onClose: (listener) => void points.closeListeners.push(listener),
    reportError: server.reportError,
    reportWarning: points.reportWarning,
  }
}

type MethodHandler = (params: never, call: Call) => Awaitable<unknown>

/** Creates the handler of an extension's method: validates the params, runs the method and validates the result. */
function createMethodHandler(definition: ExtensionMethod<Schema | undefined, Schema | undefined>, run: MethodHandler): Handler {
  const paramsSchema = definition.params && compileSchema(definition.params, 'input')
  const resultSchema = definition.result && compileSchema(definition.result, 'output')
  const cacheHint = definition.cache && { ttlMs: 0, cacheScope: 'private', ...definition.cache }
  return async (call) => {
    const params = call.request.params ?? {}
    const value = await run((paramsSchema ? await parseParams(paramsSchema, params) : params) as never, call)
    if (call.isSuspended) return {}
    return { ...cacheHint, ...(await parseResult(value, resultSchema)) }
  }
}

/** Validates the params of a request, without the members that any request may have. */
async function parseParams(
  schema: CompiledSchema,
  { _meta, inputResponses, requestState, ...params }: JsonObject,
): Promise<unknown> {
  const parsed = await schema.parse(params)
  if (!parsed.issues) return parsed.value
  const [first] = parsed.issues
  throw invalidParams(`${first?.path.join('.') || 'params'}: ${first?.message ?? ''}`, { issues: parsed.issues })
}

async function parseResult(value: unknown, schema: CompiledSchema | undefined): Promise<JsonObject> {
  const parsed = schema ? await schema.parse(value) : { value }
  if (parsed.issues || !isObject(parsed.value))
    throw new InvalidOutputError('The result is not an object or does not match the result schema of its method', parsed.issues)
  return parsed.value
}
