import { isObject } from 'portcall/jsonrpc'
import { parseJson } from '../../../util/src/parse-json.ts'
import type { CallFailure } from './lane.ts'

const DATA_LINE = /^data:(.*)$/gm

/** Returns how a result means that the call has failed. */
export function failureOfResult(result: unknown): CallFailure {
  if (!isObject(result)) return 'invalid response'
  if (result.isError === true) return 'tool error'
  return result.resultType === 'input_required' ? 'input required' : undefined
}

/** Returns how the body of an HTTP response means that the call has failed. */
export function failureOfBody(status: number, isStream: boolean, body: string): CallFailure {
  if (status !== 200) return `HTTP ${status}`
  // The response is the last event of a stream.
  const text = isStream ? [...body.matchAll(DATA_LINE)].at(-1)?.[1] : body
  const message = parseJson(text ?? '')
  if (!isObject(message)) return 'invalid response'
  if (isObject(message.error)) return `error ${message.error.code}`
  return failureOfResult(message.result)
}

/** Returns the kind of an error that a client has thrown. */
export function failureOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'number' ? `error ${code}` : String(code ?? error.name)
}
