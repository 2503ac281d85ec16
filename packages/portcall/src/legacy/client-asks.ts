import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject, type Request, type Response, success } from '../jsonrpc/message.ts'
import { methodNotFound } from '../protocol/errors.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { ClientCapabilities } from '../protocol/types.ts'
import { readBlock, withoutNulls } from './client-result.ts'
import { planOf, withLegacyMeta, without } from './plan.ts'

/** Answers one question of a server. Throws RpcError when it cannot be answered. */
export type Answer = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>

export interface ClientAsksOptions {
  readonly answer: Answer
  readonly capabilities: ClientCapabilities
  readonly revision: () => Revision
}

interface Ask {
  readonly capability: keyof ClientCapabilities
  /** Turns the question into one of the newest revision. */
  readonly read: (params: JsonObject) => JsonObject
  /** Turns the answer into one of the revision that is spoken. */
  readonly render: (answer: JsonObject, revision: Revision) => JsonObject
}

const ASKS: ReadonlyMap<string, Ask> = new Map<string, Ask>([
  ['elicitation/create', { capability: 'elicitation', read: readElicitation, render: renderElicitation }],
  ['sampling/createMessage', { capability: 'sampling', read: readSampling, render: renderSample }],
  ['roots/list', { capability: 'roots', read: withoutNulls, render: (answer) => answer }],
])

const FAILED = new RpcError(ErrorCode.internalError, 'The client failed to answer')

/**
 * Answers the requests of a legacy server, at any time: `ping` by itself, questions with the one function that answers the questions of
 * all revisions. What was not declared is not there.
 */
export function createClientAsks({
  answer,
  capabilities,
  revision,
}: ClientAsksOptions): (request: Request, signal: AbortSignal) => Promise<Response> {
  const reply = async (method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> => {
    if (method === 'ping') return {}
    const ask = ASKS.get(method)
    if (!ask || !capabilities[ask.capability]) throw methodNotFound(method)
    const { resultType: _type, ...answered } = await answer(method, ask.read(withLegacyMeta(params)), signal)
    return ask.render(withLegacyMeta(answered), revision())
  }
  return async ({ id, method, params = {} }, signal) => {
    try {
      return success(id, await reply(method, params, signal))
    } catch (error) {
      return (error instanceof RpcError ? error : FAILED).response(id)
    }
  }
}

/** The newest revision does not name visits to a URL. */
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

/** Where a message has one block, what the model said in several is joined as far as it is text. */
function renderSample(answer: JsonObject, revision: Revision): JsonObject {
  const { content } = answer
  const rendered = without(answer, planOf(revision).foreign.samplingMessage)
  if (!Array.isArray(content) || revision.sampling.arrays) return rendered
  const blocks = content.filter(isObject)
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
  const [only] = blocks
  return { ...rendered, content: blocks.length === 1 ? only : { type: 'text', text: texts.join('\n') } }
}
