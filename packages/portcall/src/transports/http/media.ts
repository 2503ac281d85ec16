/** Which forms of an answer a caller takes. */
export interface Accepted {
  readonly json: boolean
  readonly events: boolean
}

/** What clients of the newest revisions send, and what it means. */
export const USUAL_ACCEPT = 'application/json, text/event-stream'
export const BOTH: Accepted = { json: true, events: true }

/** What nearly all bodies are. */
export const USUAL_TYPE = 'application/json'

/** Tells whether a body is JSON in UTF-8, by its `Content-Type`. Other character sets, and other types that only look like JSON, are not. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === USUAL_TYPE) return true
  if (contentType === undefined) return false
  const [type, ...parameters] = contentType.split(';')
  return type?.trim().toLowerCase() === 'application/json' && parameters.every(isUtf8)
}

/** Reads `Accept` (RFC 9110, section 12.5.1). A missing header and wildcards take everything; what has the weight 0 is not taken. */
export function readAccept(accept: string | undefined): Accepted {
  if (accept === undefined) return BOTH
  const ranges = accept.toLowerCase().split(',').map(readRange)
  return { json: takes(ranges, 'application/json'), events: takes(ranges, 'text/event-stream') }
}

interface Range {
  type: string
  weight: number
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
}

function takes(ranges: readonly Range[], type: string): boolean {
  const wildcard = `${type.slice(0, type.indexOf('/'))}/*`
  const best = [type, wildcard, '*/*'].map((name) => ranges.find((range) => range.type === name)).find((range) => range)
  return best !== undefined && best.weight > 0
}

function isUtf8(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=').map((part) => part.trim().toLowerCase())
  return name === '' || (name === 'charset' && (value === 'utf-8' || value === '"utf-8"' || value === 'utf8'))
}

/** Tells whether a body is a stream of events, by its `Content-Type`. They are always UTF-8, whatever else it says. */
export function isEventStream(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'text/event-stream'
}
