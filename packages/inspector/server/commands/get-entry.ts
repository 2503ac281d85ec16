import { isObject, type JsonObject, type JsonValue } from 'portcall/jsonrpc'
import { METHODS } from '../../../portcall/src/protocol/methods.ts'
import { parseJson } from '../../../util/src/parse-json.ts'
import type { HttpEntry, MessageDetail } from '../protocol/timeline.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import { compareForms } from '../timeline/compare.ts'
import type { Timeline } from '../timeline/timeline.ts'

const MAX_TEXT = 4 * 1024 * 1024

/** Returns everything about an entry. @throws InspectorCommandError if it has been dropped. */
export function getEntry(timeline: Timeline, entryId: number): MessageDetail {
  const stored = timeline.get(entryId)
  if (!stored) throw new InspectorCommandError('NOT_FOUND', 'The entry has been dropped')
  const { entry, details } = stored
  if (entry.type !== 'message') return { entry, text: '', changes: [] }
  const text = details.text ?? entry.text
  const value = parseJson(text) as JsonValue | undefined
  const http = entry.httpId === undefined ? undefined : findHttp(timeline, entry.httpId)
  const isLocal = value === undefined || (entry.method !== undefined && !isNewest(entry.method))
  const newest = details.newest ?? (isLocal ? undefined : value)
  return {
    entry,
    text: text.slice(0, MAX_TEXT),
    ...(value !== undefined && { value }),
    ...(isObject(newest) && { newest: newest as JsonObject }),
    changes: value !== undefined && newest !== undefined ? compareForms(value, newest) : [],
    ...(http && { http }),
    ...(newest === undefined && { note: noteOf(entry.method, value) }),
  }
}

/** Reports whether a method exists in the newest revision. */
function isNewest(method: string): boolean {
  return (
    METHODS.has(method) ||
    (!/^(initialize|ping|logging\/setLevel|resources\/(un)?subscribe)$/.test(method) && method !== 'notifications/initialized')
  )
}

function noteOf(method: string | undefined, value: JsonValue | undefined): string {
  if (value === undefined) return 'The text is not JSON, so it is no message.'
  return `${method ?? 'This message'} does not exist in the newest revision: the library handles it itself.`
}

function findHttp(timeline: Timeline, httpId: number): HttpEntry | undefined {
  for (const { entry } of timeline.all()) if (entry.type === 'http' && entry.httpId === httpId) return entry
  return undefined
}
