/** A placeholder for the id in a request that is built once and sent many times: eight characters, so that the length never changes. */
export const ID = '########'

/** The first id. All ids have eight digits. */
export const FIRST_ID = 10_000_000

const ZERO = 48

function placesOf(text) {
  const places = []
  for (let place = text.indexOf(ID); place >= 0; place = text.indexOf(ID, place + ID.length)) places.push(place)
  return places
}

/** Builds a request as bytes; `stamp(id)` writes the id into them. Texts are ASCII. */
export function createRequest(text) {
  const bytes = Buffer.from(text, 'latin1')
  const places = placesOf(text)
  return {
    bytes,
    stamp(id) {
      for (const place of places) {
        let rest = id
        for (let digit = place + ID.length - 1; digit >= place; digit--) {
          const less = Math.floor(rest / 10)
          bytes[digit] = ZERO + rest - less * 10
          rest = less
        }
      }
      return bytes
    },
  }
}

/** Returns a complete POST to a target, `{ host, port, path }`, as text. `body` is ASCII. */
export function postText({ host = '127.0.0.1', port, path = '/mcp' }, { headers, body }) {
  const lines = Object.entries({
    host: `${host}:${port}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
    'content-length': body.length,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
