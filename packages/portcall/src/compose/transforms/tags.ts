import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { toStrings } from '../../../../util/src/strings.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { usedNames } from '../names-in-use.ts'
import type { Transform, TransformCaller, TransformItem } from './transform.ts'

/** The `_meta` member of an item that lists its tags. Set it in a definition, or add tags with `tag`. */
export const TAGS_META = 'io.github.portcall/tags'

/** Returns the tags of an item. */
export function tagsOf({ definition }: Pick<TransformItem, 'definition'>): readonly string[] {
  const tags = isObject(definition._meta) ? definition._meta[TAGS_META] : undefined
  return Array.isArray(tags) ? tags.filter((one) => typeof one === 'string') : []
}

/** Adds tags to items, by the tag: `tag({ admin: ['delete_*', 'ban_user'] })`. Names may contain `*`. */
export function tag(tags: { readonly [tag: string]: string | readonly string[] }): Transform {
  const matchers = Object.entries(tags).map(([name, patterns]) => [name, createNameMatcher(toStrings(patterns))] as const)
  const names = Object.values(tags).flatMap((patterns) => toStrings(patterns).filter((name) => !name.includes(':')))
  return {
    names: usedNames('tag()', names, ['tool', 'prompt']),
    list: (items) =>
      items.map((item) => {
        const added = matchers.flatMap(([name, matches]) => (matches(item.name) ? [name] : []))
        if (added.length === 0) return item
        const _meta = isObject(item.definition._meta) ? item.definition._meta : {}
        const all = [...new Set([...tagsOf(item), ...added])]
        return { ...item, definition: { ...item.definition, _meta: { ..._meta, [TAGS_META]: all } } }
      }),
  }
}

/** Which tags an item must, and must not, have. */
export interface TagSelection {
  /** The item has one of these tags. Default: it need not have any. */
  readonly include?: readonly string[]
  /** The item has none of these tags. */
  readonly exclude?: readonly string[]
}

/** Keeps the items with certain tags. The selection may depend on the caller: `withTags(({ auth }) => ({ exclude: auth ? [] : ['admin'] }))`. */
export function withTags(selection: TagSelection | ((caller: TransformCaller) => TagSelection)): Transform {
  return {
    variesByCaller: typeof selection === 'function',
    list(items, caller) {
      const { include, exclude = [] } = typeof selection === 'function' ? selection(caller) : selection
      return items.filter((item) => {
        const tags = tagsOf(item)
        return (!include || include.some((one) => tags.includes(one))) && !exclude.some((one) => tags.includes(one))
      })
    },
  }
}
