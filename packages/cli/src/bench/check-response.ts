import { isObject } from 'portcall/jsonrpc'
import { parseJson } from '../../../util/src/parse-json.ts'
import type { CallFailure } from './lane.ts'

/** A longer message is only checked for its id if its length is that of the last one, because parsing would slow down the load. */
const LARGE_LENGTH = 64 * 1024

/** Returns how a result means that the call has failed. */
export function failureOfResult(result: unknown): CallFailure {
  if (!isObject(result)) return 'invalid response'
  if (result.isError === true) return 'tool error'
  return result.resultType === 'input_required' ? 'input required' : undefined
}

/** Returns the kind of an error that a client has thrown. */
export function failureOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'number' ? `error ${code}` : String(code ?? error.name)
}

/** The outcome of a call. */
export interface MeasuredOutcome {
  readonly failure: CallFailure
}

const SUCCESS: MeasuredOutcome = { failure: undefined }
const INVALID: MeasuredOutcome = { failure: 'invalid response' }

/** Checks the responses to calls that differ in nothing but their ids. */
export class MessageCheck {
  #checkedLength = -1

  /** Returns the outcome of the call with an id; undefined for messages without a response, such as notifications. */
  outcomeOf(text: string, id: number): MeasuredOutcome | undefined {
    if (text.length > LARGE_LENGTH && text.length === this.#checkedLength && text.includes(String(id))) return SUCCESS
    // In 2025-03-26, responses may be batched.
    const message = [parseJson(text)].flat().find((entry) => isObject(entry) && !('method' in entry))
    if (!isObject(message)) return undefined
    const outcome = outcomeOfResponse(message, id)
    this.#checkedLength = outcome.failure === undefined ? text.length : -1
    return outcome
  }
}

function outcomeOfResponse(
  { jsonrpc, id, result, error }: Readonly<Record<string, unknown>>,
  expectedId: number,
): MeasuredOutcome {
  if (jsonrpc !== '2.0') return INVALID
  const failedWithoutId = isObject(error) && (id === null || id === undefined)
  if (id !== expectedId && !failedWithoutId) return { failure: 'wrong id' }
  if (isObject(error)) return { failure: `error ${error.code}` }
  return result === undefined ? INVALID : { failure: failureOfResult(result) }
}
