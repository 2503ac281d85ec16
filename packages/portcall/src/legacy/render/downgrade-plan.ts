import { oncePer } from '../../../../util/src/once-per.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { pickViewMeta, rendersViews } from '../../protocol/apps.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { type EntityType, type Fields, REVISIONS, type Revision } from '../../protocol/revisions.ts'
import type { ClientCapabilities } from '../../protocol/types.ts'

/** The differences between the newest revision and an older one, computed once for each revision. */
export interface DowngradePlan {
  readonly revision: Revision
  /**
   * For each shape, the fields to omit: other revisions define them and this one does not. Fields that no revision defines are not
   * listed, so renderers pass them through.
   */
  readonly omit: Fields
  /** True if results keep their structured content in a revision without it: the views of the client read it. */
  readonly keepsStructuredContent: boolean
  /** The fields of a tool result that are not copied: the renderer sets or omits them. */
  readonly uncopiedToolResultFields: readonly string[]
  /** The requests that other revisions define and this one does not. */
  readonly unsupportedRequests: ReadonlySet<string>
  /** The notifications that other revisions define and this one does not. */
  readonly unsupportedNotifications: ReadonlySet<string>
}

const RESERVED_META_KEYS: readonly string[] = Object.values(MetaKey)

/** Returns the plan of a revision; always the same object for the same revision. */
export const downgradePlan: (revision: Revision) => DowngradePlan = oncePer(createPlan)

const viewPlan = oncePer((revision: Revision): DowngradePlan => ({ ...createPlan(revision), keepsStructuredContent: true }))

/** Returns the plan for a client; always the same object for the same revision and the same support of views. */
export function planFor(revision: Revision, capabilities: ClientCapabilities): DowngradePlan {
  return rendersViews(capabilities) ? viewPlan(revision) : downgradePlan(revision)
}

/** Returns `rendered` with the `_meta` keys of views, if its revision omits `_meta` there. The extension may be used in every revision. */
export function withViewMeta(rendered: JsonObject, { _meta }: JsonObject): JsonObject {
  if (_meta === undefined || rendered._meta !== undefined) return rendered
  const kept = pickViewMeta(_meta)
  return kept ? { ...rendered, _meta: kept } : rendered
}

function createPlan(revision: Revision): DowngradePlan {
  const omit: { [E in EntityType]: readonly string[] } = { ...revision.fields }
  for (const entity of Object.keys(omit) as EntityType[])
    omit[entity] = [...definedElsewhere(revision, ({ fields }) => fields[entity])]
  return {
    revision,
    omit,
    keepsStructuredContent: false,
    uncopiedToolResultFields: ['content', 'isError', 'structuredContent', '_meta', ...omit.toolResult],
    unsupportedRequests: definedElsewhere(revision, ({ requests }) => requests),
    unsupportedNotifications: definedElsewhere(revision, ({ notifications }) => notifications),
  }
}

/** Returns the names that some revision defines and `revision` does not. */
function definedElsewhere(revision: Revision, namesOf: (revision: Revision) => readonly string[]): Set<string> {
  const own = new Set(namesOf(revision))
  return new Set(REVISIONS.flatMap(namesOf).filter((name) => !own.has(name)))
}

/** Returns the object without some fields: the object itself if it has none of them, otherwise a copy. */
export function omitFields<T extends JsonObject>(object: T, fields: readonly string[]): T {
  for (const field of fields) if (Object.hasOwn(object, field)) return copyFieldsExcept(object, fields) as T
  return object
}

/** Copies all fields of an object except `fields` to `target`, and returns `target`. */
export function copyFieldsExcept(object: JsonObject, fields: readonly string[], target: JsonObject = {}): JsonObject {
  for (const key in object) {
    if (fields.includes(key)) continue
    if (key === '__proto__')
      Object.defineProperty(target, key, { value: object[key], enumerable: true, configurable: true, writable: true })
    else target[key] = object[key]
  }
  return target
}

/** Returns `_meta` without the keys that the newest revision reserves, or `undefined` if nothing is left. */
export function omitReservedMeta(meta: unknown): JsonObject | undefined {
  if (!isObject(meta)) return undefined
  const rest = omitFields(meta, RESERVED_META_KEYS)
  if (rest === meta) return meta
  for (const _key in rest) return rest
  return undefined
}

/** Returns params or a result without the `_meta` keys that the newest revision reserves. */
export function withoutReservedMeta<T extends JsonObject>(object: T): T {
  if (!('_meta' in object)) return object
  const meta = omitReservedMeta(object._meta)
  if (meta === object._meta) return object
  return meta ? { ...object, _meta: meta } : omitFields(object, ['_meta'])
}

/** Maps a list. Returns the list itself if no item changes. */
export function mapItems(
  items: readonly JsonObject[],
  render: (item: JsonObject, plan: DowngradePlan) => JsonObject,
  plan: DowngradePlan,
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
