import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject } from '../../jsonrpc/message.ts'
import { type InputRequestHook, inputRequestHookOf } from '../../protocol/input-request-hook.ts'
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
  const requests = isObject(inputRequests) ? inputRequests : {}
  const entries = Object.entries(requests)
  const connection = { ask: withHook(context, inputRequestHookOf(requests)), plan }
  const responses = await Promise.all(
    entries.map(async ([key, input]) => [key, await sendInputRequest(input as InputRequest, connection)] as const),
  )
  return Object.fromEntries(responses)
}

/** The connection to a legacy client. */
interface ClientConnection {
  readonly ask: ExchangeContext['ask']
  readonly plan: DowngradePlan
}

/** Returns an `ask` that runs the hook around each request. */
function withHook({ ask }: ExchangeContext, hook: InputRequestHook | undefined): ExchangeContext['ask'] {
  return ask && hook ? (method, params) => hook({ method, params }, (changed) => ask(method, changed)) : ask
}

async function sendInputRequest(input: InputRequest, { ask, plan }: ClientConnection): Promise<JsonObject> {
  const rendered = renderInputRequest(input, plan)
  if (!ask || !rendered) throw new RpcError(ErrorCode.internalError, `This connection does not support ${input.method}`)
  const response = await ask(rendered.method, rendered.params)
  if (isSuccess(response)) return rendered.readResult(response.result)
  if (input.method === 'elicitation/create') return { action: 'cancel' }
  throw new RpcError(ErrorCode.internalError, `The client rejected ${input.method}: ${response.error.message}`)
}
