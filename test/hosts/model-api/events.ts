import type { ServerResponse } from 'node:http'

/** Writes a stream of server-sent events. Events with a `type` get it as their name, too. */
export function writeEvents(response: ServerResponse, events: readonly object[], last?: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) {
    if ('type' in event) response.write(`event: ${event.type}\n`)
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  }
  response.end(last === undefined ? undefined : `data: ${last}\n\n`)
}

export function writeJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

let ids = 0

/** Returns a new id of a message or call. */
export const newId = (kind: string): string => `${kind}_${String(++ids).padStart(20, '0')}`

/** Returns the items after the last one that matches; none if there is none. */
export function after<T>(items: readonly T[], matches: (item: T) => boolean): T[] {
  const at = items.findLastIndex(matches)
  return at < 0 ? [] : items.slice(at + 1)
}
