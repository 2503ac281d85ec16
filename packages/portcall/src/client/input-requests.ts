import type { Awaitable } from '../../../util/src/awaitable.ts'
import { parseUrl } from '../../../util/src/parse-url.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { applyDefaults, checkContent, type ElicitationSchema, toElicitationSchema } from '../protocol/elicitation.ts'
import { invalidParams, methodNotFound } from '../protocol/errors.ts'
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitAction,
  ElicitResult,
  InputRequestHandler,
  Root,
} from '../protocol/input-types.ts'
import type { ClientCapabilities } from '../protocol/types.ts'

/** A form elicitation. */
export interface FormRequest {
  /** The question of the server. */
  readonly message: string
  /** The fields of the form, as a JSON Schema. */
  readonly schema: ElicitationSchema
  /** The default values of the fields. */
  readonly defaults: JsonObject
}

/** A URL elicitation. Show the user the whole URL, and open it only with the user's consent. */
export interface UrlRequest {
  /** Why the user should open the URL. */
  readonly message: string
  /** The URL to open. */
  readonly url: string
}

/** The context that an input handler receives in addition to the request. */
export interface InputContext {
  /** Aborted when the server no longer needs the input. */
  readonly signal: AbortSignal
}

/** Handlers for the input that servers request. Omit the ones your application does not support. */
export interface InputHandlers {
  /** Returns the fields of the form, `'decline'` or `'cancel'`. */
  readonly elicit?: (
    form: FormRequest,
    context: InputContext,
  ) => Awaitable<JsonObject | Exclude<ElicitAction, 'accept'> | ElicitResult>
  /** Returns whether the user agreed to open the URL. */
  readonly elicitUrl?: (request: UrlRequest, context: InputContext) => Awaitable<ElicitAction>
  /** Creates a message with the language model of your application. */
  readonly sample?: (params: CreateMessageParams, context: InputContext) => Awaitable<CreateMessageResult>
  /** The roots, or a function that returns them. */
  readonly roots?: readonly Root[] | ((context: InputContext) => Awaitable<readonly Root[]>)
}

/** Returns the capabilities of the input handlers, merged into `declared`. */
export function capabilitiesOf(
  { elicit, elicitUrl, sample, roots }: InputHandlers,
  declared: ClientCapabilities = {},
): ClientCapabilities {
  return {
    ...declared,
    ...((elicit || elicitUrl) && { elicitation: { ...(elicit && { form: {} }), ...(elicitUrl && { url: {} }) } }),
    ...(sample && { sampling: { ...declared.sampling } }),
    ...(roots && { roots: { ...declared.roots } }),
  }
}

/** Creates the function that handles the input requests of servers of every era. */
export function createInputRequestHandler(handlers: InputHandlers): InputRequestHandler {
  const methods: { readonly [method: string]: (params: JsonObject, context: InputContext) => Promise<JsonObject> } = {
    'elicitation/create': (params, context) =>
      params.mode === 'url' ? elicitUrl(handlers, params, context) : elicitForm(handlers, params, context),
    'sampling/createMessage': async (params, context) => {
      if (!handlers.sample) throw methodNotFound('sampling/createMessage')
      return { ...(await handlers.sample(params as unknown as CreateMessageParams, context)) }
    },
    'roots/list': async (_params, context) => {
      const { roots } = handlers
      if (!roots) throw methodNotFound('roots/list')
      return { roots: typeof roots === 'function' ? [...(await roots(context))] : [...roots] }
    },
  }
  return async (method, params, signal) => {
    const handle = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (!handle) throw methodNotFound(method)
    return handle(params, { signal })
  }
}

/** An input request of a server, as middleware sees it. */
export interface ReceivedInputRequest {
  /** `elicitation/create`, `sampling/createMessage` or `roots/list`. */
  readonly method: string
  /** The params of the request. */
  readonly params: JsonObject
  /** Aborted when the server no longer needs the input. */
  readonly signal: AbortSignal
}

/** Wraps the handling of an input request. `next` runs the handler and resolves to its result. */
export type InputMiddleware = (
  request: ReceivedInputRequest,
  next: (request: ReceivedInputRequest) => Promise<JsonObject>,
) => Promise<JsonObject>

/** Returns a handler that runs the middleware around `handler`. The first middleware is the outermost. */
export function applyInputMiddleware(
  handler: InputRequestHandler,
  middleware: readonly InputMiddleware[] = [],
): InputRequestHandler {
  if (middleware.length === 0) return handler
  const run = middleware.reduceRight<(request: ReceivedInputRequest) => Promise<JsonObject>>(
    (next, layer) => (request) => layer(request, next),
    ({ method, params, signal }) => handler(method, params, signal),
  )
  return (method, params, signal) => run({ method, params, signal })
}

async function elicitForm({ elicit }: InputHandlers, params: JsonObject, context: InputContext): Promise<JsonObject> {
  if (!elicit) throw invalidParams('this client does not support form elicitation')
  const { message, requestedSchema } = params
  if (typeof message !== 'string' || !isObject(requestedSchema))
    throw invalidParams('a form elicitation needs a message and a requestedSchema')
  const schema = toElicitationSchema(requestedSchema)
  const outcome = await elicit({ message, schema, defaults: applyDefaults(schema, {}) }, context)
  if (typeof outcome === 'string') return { action: outcome }
  if (!isElicitResult(outcome)) return accept(schema, outcome as JsonObject)
  return outcome.action === 'accept' ? accept(schema, outcome.content ?? {}) : { action: outcome.action }
}

function accept(schema: ElicitationSchema, fields: JsonObject): JsonObject {
  const content = applyDefaults(schema, fields)
  const issues = checkContent(schema, content)
  if (issues.length > 0)
    throw invalidParams(
      `the content does not match the requested schema: ${issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
      { issues },
    )
  return { action: 'accept', content }
}

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'] satisfies ElicitAction[]

/** Distinguishes a result from the fields of a form with a field named `action`: a result has no other members. */
function isElicitResult(value: JsonObject | ElicitResult): value is JsonObject & ElicitResult {
  const { action, content, ...others } = value as JsonObject
  return ACTIONS.includes(action) && (content === undefined || isObject(content)) && Object.keys(others).length === 0
}

async function elicitUrl(handlers: InputHandlers, { message, url }: JsonObject, context: InputContext): Promise<JsonObject> {
  if (!handlers.elicitUrl) throw invalidParams('this client does not support URL elicitation')
  if (typeof message !== 'string' || typeof url !== 'string' || !/^https?:$/.test(protocolOf(url)))
    throw invalidParams('a URL elicitation needs a message and an http(s) URL')
  return { action: await handlers.elicitUrl({ message, url }, context) }
}

function protocolOf(url: string): string {
  return parseUrl(url)?.protocol ?? ''
}
