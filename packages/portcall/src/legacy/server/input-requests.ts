import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject } from '../../jsonrpc/message.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import type { DowngradePlan } from '../render/downgrade-plan.ts'
import { renderInputRequest } from '../render/input-requests.ts'

/**
 * Sends the input requests of an `input_required` result to a legacy client, concurrently, as requests of their own.
 *
 * @returns the input responses, by the keys of the input requests.
 * @throws RpcError when a request cannot be sent on this connection, or when the client responds with an error. A failed elicitation
 *   counts as cancelled instead.
 */
export async function sendInputRequests(
  inputRequests: unknown,
  context: ExchangeContext,
  plan: DowngradePlan,
): Promise<JsonObject> {
  const entries = Object.entries(isObject(inputRequests) ? inputRequests : {})
  const responses = await Promise.all(
    entries.map(async ([key, input]) => [key, await sendInputRequest(input as InputRequest, context, plan)] as const),
  )
  return Object.fromEntries(responses)
}

async function sendInputRequest(input: InputRequest, { ask }: ExchangeContext, plan: DowngradePlan): Promise<JsonObject> {
  const rendered = renderInputRequest(input, plan)
  if (!ask || !rendered) throw new RpcError(ErrorCode.internalError, `This connection does not support ${input.method}`)
  const response = await ask(rendered.method, rendered.params)
  if (isSuccess(response)) return rendered.readResult(response.result)
  if (input.method === 'elicitation/create') return { action: 'cancel' }
  throw new RpcError(ErrorCode.internalError, `The client rejected ${input.method}: ${response.error.message}`)
}
