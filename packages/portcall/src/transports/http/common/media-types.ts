import { essence } from '../../../../../util/src/media-type.ts'

/** The response formats that a client accepts. */
export interface AcceptedTypes {
  readonly json: boolean
  readonly events: boolean
}

/** The `Accept` header that the specification requires of clients. */
export const DEFAULT_ACCEPT = 'application/json, text/event-stream'
export const ACCEPT_ALL: AcceptedTypes = { json: true, events: true }

/** The media type of request bodies. */
export const JSON_TYPE = 'application/json'

/** Reports whether a `Content-Type` is `application/json` in UTF-8. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === JSON_TYPE) return true
  if (contentType === undefined) return false
  const [type, ...parameters] = contentType.split(';')
  return type?.trim().toLowerCase() === 'application/json' && parameters.every(isUtf8)
}

/** Parses an `Accept` header (RFC 9110, section 12.5.1). Without the header, every format is accepted. */
export function parseAccept(accept: string | undefined): AcceptedTypes {
  if (accept === undefined) return ACCEPT_ALL
  const ranges = accept.toLowerCase().split(',').map(parseRange)
  return { json: accepts(ranges, 'application/json'), events: accepts(ranges, 'text/event-stream') }
}

interface Range {
  type: string
  weight: number
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
}

function accepts(ranges: readonly Range[], type: string): boolean {
  const wildcard = `${type.slice(0, type.indexOf('/'))}/*`
  const match = [type, wildcard, '*/*'].map((name) => ranges.find((range) => range.type === name)).find((range) => range)
  return match !== undefined && match.weight > 0
}

function isUtf8(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=').map((part) => part.trim().toLowerCase())
  return name === '' || (name === 'charset' && (value === 'utf-8' || value === '"utf-8"' || value === 'utf8'))
}

/** Reports whether a `Content-Type` is `text/event-stream`. Event streams are always UTF-8, so parameters are ignored. */
export function isEventStream(contentType: string | undefined): boolean {
  return essence(contentType) === 'text/event-stream'
}
