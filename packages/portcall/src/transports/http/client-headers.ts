/** Headers as a user gives them: fixed, or made anew for each request. */
export type HeaderSource = HeadersInit | (() => HeadersInit | Promise<HeadersInit>)

/** Headers by their names in lower case. */
export type HeaderRecord = Readonly<Record<string, string>>

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const CARRIED = /^[\t\x20-\x7e\x80-\xff]*$/

/** The head of every POST of a client. */
export const POST_HEADERS: HeaderRecord = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** The head of every GET of a client. */
export const GET_HEADERS: HeaderRecord = { accept: 'text/event-stream' }

/** Reads headers in any of their forms. @throws TypeError that names the one which no request can have. */
export function readHeaders(given: HeadersInit): HeaderRecord {
  return lowerCase(given instanceof Headers || Array.isArray(given) ? Object.fromEntries(given) : given)
}

/** Makes all names lower case, so that what is said twice is said once. @throws TypeError that names the one which no request can have. */
export function lowerCase(headers: HeaderRecord): HeaderRecord {
  const all: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name) || !CARRIED.test(value))
      throw new TypeError(`No HTTP request can have this header: ${JSON.stringify(name)}`)
    all[name.toLowerCase()] = value
  }
  return all
}
