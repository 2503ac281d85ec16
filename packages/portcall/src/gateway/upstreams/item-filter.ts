import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { createUriMatcher } from '../../compose/uri-matcher.ts'
import type { GatewayServerOptions, ItemRules } from '../api/options.ts'
import type { GatewayItemKind } from '../policy/types.ts'

/** The items of one kind that a server offers. */
export interface ItemFilter {
  /** Reports whether the item is offered. */
  accepts(name: string): boolean
  /** Returns the name under which the item is offered. */
  rename(name: string): string
  /** Returns the name on the server, or `undefined` if there is no such item. */
  original(name: string): string | undefined
}

/** The filters of a server, by kind of item. */
export type ItemFilters = { readonly [kind in GatewayItemKind]: ItemFilter }

/** The filter of a server without rules. */
const ALL: ItemFilter = { accepts: () => true, rename: (name) => name, original: (name) => name }

/** Creates the filters of a server, by kind of item. */
export function createItemFilters({ tools, prompts, resources, events }: GatewayServerOptions): ItemFilters {
  const uris = resources ? createUriFilter(resources) : ALL
  return {
    tool: tools ? createNameFilter(tools) : ALL,
    prompt: prompts ? createNameFilter(prompts) : ALL,
    resource: uris,
    template: uris,
    event: events ? createNameFilter(events) : ALL,
  }
}

/** Creates the filter of resources and templates: their URIs count in all spellings. */
function createUriFilter({ include, exclude = [] }: ItemRules): ItemFilter {
  const isIncluded = include ? createUriMatcher(include).matchesAll : () => true
  const isExcluded = createUriMatcher(exclude).matchesAny
  const accepts = (uri: string): boolean => isIncluded(uri) && !isExcluded(uri)
  return { accepts, rename: (uri) => uri, original: (uri) => (accepts(uri) ? uri : undefined) }
}

/** Creates the filter of tools, prompts or events. @throws TypeError if two items are renamed to the same name. */
function createNameFilter({ include, exclude = [], rename = {} }: ItemRules): ItemFilter {
  const isIncluded = include ? createNameMatcher(include) : () => true
  const isExcluded = createNameMatcher(exclude)
  const renamed = new Map(Object.entries(rename))
  const originals = new Map(Object.entries(rename).map(([name, other]) => [other, name]))
  if (originals.size < renamed.size) throw new TypeError('rename gives several items the same name')
  const accepts = (name: string): boolean => isIncluded(name) && !isExcluded(name)
  return {
    accepts,
    rename: (name) => renamed.get(name) ?? name,
    original(name) {
      const original = originals.get(name) ?? (renamed.has(name) ? undefined : name)
      return original !== undefined && accepts(original) ? original : undefined
    },
  }
}
