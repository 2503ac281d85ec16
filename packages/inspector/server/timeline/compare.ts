import { isObject, type JsonValue } from 'portcall/jsonrpc'
import { pointerSegment } from '../../../portcall/src/diagnostics/compare/json-diff.ts'
import { unwrapSchema } from '../../../portcall/src/legacy/render/unwrap-schema.ts'
import { isJsonEqual } from '../../../util/src/json-equal.ts'
import type { TranslationChange } from '../protocol/timeline.ts'

const MAX_CHANGES = 200
/** Members with ids, which each side numbers on its own. */
const IGNORED: ReadonlySet<string> = new Set([
  '/id',
  '/jsonrpc',
  '/params/requestId',
  '/params/progressToken',
  '/params/_meta/progressToken',
  '/params/_meta/io.modelcontextprotocol~1subscriptionId',
  '/result/_meta/io.modelcontextprotocol~1subscriptionId',
])

/** Lists what the translation between the revision on the wire and the newest one changed. */
export function compareForms(wire: JsonValue, newest: JsonValue): TranslationChange[] {
  const changes: TranslationChange[] = []
  compare(wire, newest, { pointer: '', changes })
  return changes
}

/**
 * Reports whether a translation loses something: what has arrived and the newest form lacks, or what was to be sent and the wire form lacks. The
 * metadata of the protocol in each request is not lost, because the handshake has sent it.
 */
export function isLossy(changes: readonly TranslationChange[], direction: 'in' | 'out'): boolean {
  return changes.some(({ kind, pointer, newest }) =>
    direction === 'in' ? kind === 'dropped' : kind === 'added' && !isProtocolMeta(pointer.split('/').at(-1) ?? '', newest),
  )
}

function isProtocolMeta(name: string, value: JsonValue | undefined): boolean {
  if (name.startsWith('io.modelcontextprotocol~1')) return true
  if (name !== '_meta' && name !== 'params') return false
  return (
    isObject(value) && Object.entries(value).every(([key, member]) => isProtocolMeta(pointerSegment(key), member as JsonValue))
  )
}

interface Position {
  readonly pointer: string
  readonly changes: TranslationChange[]
}

function compare(wire: JsonValue, newest: JsonValue, { pointer, changes }: Position): void {
  if (changes.length >= MAX_CHANGES || IGNORED.has(pointer) || isJsonEqual(wire, newest)) return
  if (isWrapped(wire, newest)) changes.push({ pointer, kind: 'wrapped', wire, newest })
  else if (isObject(wire) && isObject(newest)) compareObjects(wire as Members, newest as Members, { pointer, changes })
  else if (Array.isArray(wire) && Array.isArray(newest) && wire.length === newest.length)
    for (const [index, item] of wire.entries())
      compare(item, newest[index] as JsonValue, { pointer: `${pointer}/${index}`, changes })
  else changes.push({ pointer, kind: 'changed', wire, newest })
}

type Members = Record<string, JsonValue>

function compareObjects(wire: Members, newest: Members, { pointer, changes }: Position): void {
  const added = Object.keys(newest).filter((key) => !Object.hasOwn(wire, key))
  for (const [key, value] of Object.entries(wire)) {
    const at = `${pointer}/${pointerSegment(key)}`
    if (IGNORED.has(at) || value === undefined) continue
    if (Object.hasOwn(newest, key)) {
      compare(value, newest[key] as JsonValue, { pointer: at, changes })
      continue
    }
    const renamed = added.findIndex((name) => typeof value === 'object' && isJsonEqual(newest[name], value))
    const [name] = renamed < 0 ? [] : added.splice(renamed, 1)
    if (name === undefined) changes.push({ pointer: at, kind: 'dropped', wire: value })
    else changes.push({ pointer: `${pointer}/${pointerSegment(name)}`, kind: 'renamed', wire: value, newest: value })
  }
  for (const key of added) {
    const at = `${pointer}/${pointerSegment(key)}`
    const value = newest[key]
    if (!IGNORED.has(at) && value !== undefined) changes.push({ pointer: at, kind: 'added', newest: value })
  }
}

/** Reports whether one value is the only member of the other, or a schema on the wire describes that. */
function isWrapped(left: JsonValue, right: JsonValue): boolean {
  const holds = (outer: JsonValue, inner: JsonValue): boolean => {
    if (!isObject(outer)) return false
    const [value, second] = Object.values(outer)
    return second === undefined && value !== undefined && isJsonEqual(value, inner)
  }
  return holds(left, right) || holds(right, left) || isWrappedSchema(left, right)
}

function isWrappedSchema(wire: JsonValue, newest: JsonValue): boolean {
  const unwrapped = isObject(wire) ? unwrapSchema(wire) : wire
  return unwrapped !== wire && isJsonEqual(unwrapped, newest)
}
