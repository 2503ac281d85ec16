import { checkHeader, type HeaderRecord } from '../common/headers.ts'

/** Headers to send: fixed, or a function that returns them for each request. */
export type HeaderSource = HeadersInit | (() => HeadersInit | Promise<HeadersInit>)

/** The headers of every POST request. */
export const POST_HEADERS: HeaderRecord = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** The headers of every GET request. */
export const GET_HEADERS: HeaderRecord = { accept: 'text/event-stream' }

/** Reads headers in any of their forms. @throws InvalidHeaderError. */
export function readHeaders(headers: HeadersInit): HeaderRecord {
  return lowerCaseHeaders(headers instanceof Headers || Array.isArray(headers) ? Object.fromEntries(headers) : headers)
}

/** Converts all names to lower case, so that a later header overrides an earlier one. @throws InvalidHeaderError. */
export function lowerCaseHeaders(headers: HeaderRecord): HeaderRecord {
  const lowerCase: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    checkHeader(name, value)
    lowerCase[name.toLowerCase()] = value
  }
  return lowerCase
}
