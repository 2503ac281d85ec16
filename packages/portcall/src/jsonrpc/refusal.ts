import { isSuccess, type Response } from './message.ts'

/** Marks the response to a request that a limit refused. The mark does not appear in messages. Its value is the name of the limit, or empty. */
const REFUSED: unique symbol = Symbol('refused')

/** Marks a response as a refusal by a limit with this name. A mark that has a name already stays. */
export function markRefused(response: Response, name = ''): Response {
  Object.assign(outcomeOf(response), { [REFUSED]: refusedBy(response) || name })
  return response
}

/** Returns the name of the limit that refused a request, or an empty string if it has none; `undefined` if no limit did. */
export function refusedBy(response: Response): string | undefined {
  return (outcomeOf(response) as { readonly [REFUSED]?: string })[REFUSED]
}

function outcomeOf(response: Response): object {
  return isSuccess(response) ? response.result : response.error
}
