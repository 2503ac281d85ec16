import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject, type Request, type Response, success } from '../../jsonrpc/message.ts'
import { methodNotFound } from '../../protocol/errors.ts'
import type { Revision } from '../../protocol/revisions.ts'
import type { ClientCapabilities } from '../../protocol/types.ts'
import { downgradePlan, omitFields, withoutReservedMeta } from '../render/downgrade-plan.ts'
import { withoutNulls } from '../render/fields.ts'
import type { OutgoingContext } from './connection.ts'
import { readBlock } from './read-response.ts'

/** Handles an input request of the server. `origin` is the context of the request that it belongs to, if it is known. */
export type ServerInputHandler = (
  input: { readonly method: string; readonly params: JsonObject },
  signal: AbortSignal,
  origin?: OutgoingContext,
) => Promise<JsonObject>

/** Receives the method of an input request, and its params. */
export type OnInputRequest = (method: string, params: JsonObject) => void

export interface ServerRequestHandlerOptions {
  readonly handleInputRequest: ServerInputHandler
  readonly capabilities: ClientCapabilities
  readonly revision: () => Revision
}

/** Answers a request of the server. The signal is aborted when the server cancels it. */
export type ServerRequestHandler = (request: Request, signal: AbortSignal, origin?: OutgoingContext) => Promise<Response>

interface InputRequestType {
  readonly capability: keyof ClientCapabilities
  /** Converts the params to those of the newest revision. */
  readonly readParams: (params: JsonObject) => JsonObject
  /** Converts the result to the negotiated revision. */
  readonly renderResult: (result: JsonObject, revision: Revision) => JsonObject
}

const INPUT_REQUESTS: ReadonlyMap<string, InputRequestType> = new Map<string, InputRequestType>([
  ['elicitation/create', { capability: 'elicitation', readParams: readElicitation, renderResult: renderElicitation }],
  ['sampling/createMessage', { capability: 'sampling', readParams: readSampling, renderResult: renderSampling }],
  ['roots/list', { capability: 'roots', readParams: withoutNulls, renderResult: (result) => result }],
])

const HANDLER_FAILED = new RpcError(ErrorCode.internalError, 'The client failed to handle the request')

/**
 * Creates the handler of all requests of a legacy server, which may arrive at any time. It answers `ping` itself, and passes input
 * requests to `handleInputRequest`. Requests whose capability the client did not declare fail with -32601.
 */
export function createServerRequestHandler(options: ServerRequestHandlerOptions): ServerRequestHandler {
  const { handleInputRequest, capabilities, revision } = options
  const handle = async ({ method, params = {} }: Request, signal: AbortSignal, origin?: OutgoingContext): Promise<JsonObject> => {
    if (method === 'ping') return {}
    const type = INPUT_REQUESTS.get(method)
    if (!type || !capabilities[type.capability]) throw methodNotFound(method)
    const input = { method, params: type.readParams(withoutReservedMeta(params)) }
    const { resultType: _type, ...result } = await handleInputRequest(input, signal, origin)
    return type.renderResult(withoutReservedMeta(result), revision())
  }
  return async (request, signal, origin) => {
    try {
      return success(request.id, await handle(request, signal, origin))
    } catch (error) {
      return (error instanceof RpcError ? error : HANDLER_FAILED).response(request.id)
    }
  }
}

/** The newest revision does not identify URL elicitations. */
function readElicitation(params: JsonObject): JsonObject {
  const { elicitationId: _id, ...read } = withoutNulls(params)
  return read
}

function renderElicitation({ action, content, ...rest }: JsonObject): JsonObject {
  return action === 'accept' && content !== undefined ? { ...rest, action, content } : { ...rest, action }
}

function readSampling(params: JsonObject): JsonObject {
  const read = withoutNulls(params)
  const messages: unknown[] = Array.isArray(read.messages) ? read.messages : []
  return {
    ...read,
    messages: messages.map((message) => (isObject(message) ? { ...message, content: readContent(message.content) } : message)),
  }
}

function readContent(content: unknown): unknown {
  if (Array.isArray(content)) return content.map((block: unknown) => (isObject(block) ? readBlock(block) : block))
  return isObject(content) ? readBlock(content) : content
}

/** If the revision allows one block per message, joins the text blocks. */
function renderSampling(result: JsonObject, revision: Revision): JsonObject {
  const { content } = result
  const rendered = omitFields(result, downgradePlan(revision).omit.samplingMessage)
  if (!Array.isArray(content) || revision.sampling.multipleBlocks) return rendered
  const blocks = content.filter(isObject)
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
  const [only] = blocks
  return { ...rendered, content: blocks.length === 1 ? only : { type: 'text', text: texts.join('\n') } }
}
