import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { MetaKey } from '../protocol/meta.ts'
import { type Entity, type Fields, REVISIONS, type Revision } from '../protocol/revisions.ts'

/** What rendering for one revision needs, worked out of the table once. */
export interface Plan {
  readonly revision: Revision
  /** Per shape: the fields that some other revision has and this one has not. Fields that no revision knows stay. */
  readonly foreign: Fields
  /** The fields of a tool result that are not copied as they are. */
  readonly toolResult: readonly string[]
}

const plans = new Map<Revision, Plan>()
const RESERVED_META: readonly string[] = Object.values(MetaKey)

/** The plan of a revision; always the same object. */
export function planOf(revision: Revision): Plan {
  let plan = plans.get(revision)
  if (!plan) {
    const foreign = foreignFields(revision)
    plan = { revision, foreign, toolResult: ['content', 'isError', 'structuredContent', '_meta', ...foreign.toolResult] }
    plans.set(revision, plan)
  }
  return plan
}

function foreignFields(revision: Revision): Fields {
  const foreign: { [E in Entity]: readonly string[] } = { ...revision.fields }
  for (const entity of Object.keys(foreign) as Entity[]) {
    const known = new Set(REVISIONS.flatMap(({ fields }) => fields[entity]))
    foreign[entity] = [...known].filter((field) => !revision.fields[entity].includes(field))
  }
  return foreign
}

/** Gives the object without some fields: itself when it has none of them, else a copy. */
export function without<T extends JsonObject>(object: T, fields: readonly string[]): T {
  for (const field of fields) if (field in object) return copyWithout(object, fields) as T
  return object
}

/** Copies an object but for some fields. */
export function copyWithout(object: JsonObject, fields: readonly string[], copy: JsonObject = {}): JsonObject {
  for (const key in object) {
    if (fields.includes(key)) continue
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: object[key], enumerable: true, configurable: true, writable: true })
    else copy[key] = object[key]
  }
  return copy
}

/** Gives the object with one field changed: itself when the value is the same one. */
export function withField<T extends JsonObject>(object: T, field: string, value: unknown): T {
  return object[field] === value ? object : { ...object, [field]: value }
}

/** Gives `_meta` without the keys that only the newest revision has; `undefined` when nothing is left. */
export function legacyMeta(meta: unknown): JsonObject | undefined {
  if (!isObject(meta)) return undefined
  const kept = without(meta, RESERVED_META)
  if (kept === meta) return meta
  for (const _key in kept) return kept
  return undefined
}

/** Gives params or a result without the `_meta` keys that only the newest revision has. */
export function withLegacyMeta<T extends JsonObject>(object: T): T {
  if (!('_meta' in object)) return object
  const meta = legacyMeta(object._meta)
  if (meta === object._meta) return object
  return meta ? { ...object, _meta: meta } : without(object, ['_meta'])
}

/** Maps a list: the list itself when no item changes. */
export function mapItems(
  items: readonly JsonObject[],
  render: (item: JsonObject, plan: Plan) => JsonObject,
  plan: Plan,
): readonly JsonObject[] {
  let changed: JsonObject[] | undefined
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as JsonObject
    const rendered = render(item, plan)
    if (rendered !== item) changed ??= items.slice(0, i)
    changed?.push(rendered)
  }
  return changed ?? items
}
