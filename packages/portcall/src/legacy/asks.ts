import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject } from '../jsonrpc/message.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { InputRequest } from '../protocol/types.ts'
import { renderAsk } from './render-ask.ts'

/**
 * Puts the questions of an `input_required` result to a client of the legacy era, as requests of their own, side by side.
 *
 * @returns the answers by the keys of their questions.
 * @throws RpcError when a question cannot be put, or was answered with an error that has no counterpart in the newest revision.
 */
export async function askAll(questions: unknown, context: ExchangeContext, revision: Revision): Promise<JsonObject> {
  const entries = Object.entries(isObject(questions) ? questions : {})
  const answers = await Promise.all(
    entries.map(async ([key, question]) => [key, await askOne(question as InputRequest, context, revision)] as const),
  )
  return Object.fromEntries(answers)
}

async function askOne(question: InputRequest, { ask }: ExchangeContext, revision: Revision): Promise<JsonObject> {
  const rendered = renderAsk(question, revision)
  if (!ask || !rendered) throw new RpcError(ErrorCode.internalError, `This connection cannot carry ${question.method}`)
  const response = await ask(rendered.method, rendered.params)
  if (isSuccess(response)) return rendered.readAnswer(response.result)
  if (question.method === 'elicitation/create') return { action: 'cancel' }
  throw new RpcError(ErrorCode.internalError, `The client refused ${question.method}: ${response.error.message}`)
}
