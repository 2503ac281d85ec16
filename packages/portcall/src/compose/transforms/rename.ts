import type { JsonObject } from '../../jsonrpc/message.ts'
import { KINDS } from '../kinds.ts'
import { usedNames } from '../names-in-use.ts'
import type { Transform } from './transform.ts'

/** Other names, by the names on the server: `{ search_v2: 'search' }`. They name tools, or tools and prompts. */
export type NewNames =
  | { readonly [name: string]: string }
  | {
      /** Other names of tools. */
      readonly tools?: { readonly [name: string]: string }
      /** Other names of prompts. */
      readonly prompts?: { readonly [name: string]: string }
    }

/** Renames tools and prompts. Their old names are unknown then. @throws TypeError if two items get the same name. */
export function rename(names: NewNames): Transform {
  const { tools = {}, prompts = {} } = isByKind(names) ? names : { tools: names }
  const byRules: { readonly [rules: string]: ReadonlyMap<string, string> } = {
    tools: new Map(Object.entries(tools)),
    prompts: new Map(Object.entries(prompts)),
  }
  for (const renamed of Object.values(byRules))
    if (new Set(renamed.values()).size < renamed.size) throw new TypeError('rename: several items get the same name')
  return {
    names: [...usedNames('rename()', Object.keys(tools), ['tool']), ...usedNames('rename()', Object.keys(prompts), ['prompt'])],
    list(items) {
      const renamed = items.map((item) => ({ ...item, name: byRules[KINDS[item.kind].rules]?.get(item.name) ?? item.name }))
      // An item that has the new name of another one gives way to it.
      const moved = new Set(renamed.filter(({ name }, at) => name !== items[at]?.name).map(({ name }) => name))
      return renamed.filter(({ name }, at) => name !== items[at]?.name || !moved.has(name))
    },
  }
}

function isByKind(names: NewNames): names is Exclude<NewNames, { readonly [name: string]: string }> {
  return Object.values(names).every((value) => typeof value === 'object')
}

/** Members of a definition that replace its own. */
export interface NewDescription {
  /** Another title. */
  readonly title?: string
  /** Another description. */
  readonly description?: string
  /** Annotations to add, such as `readOnlyHint`. */
  readonly annotations?: { readonly [name: string]: unknown }
  /** Members to add to `_meta`. */
  readonly _meta?: JsonObject
}

/** Changes the titles, descriptions and annotations of items, by the name of a tool or prompt, or the URI of a resource. */
export function describeItems(changes: { readonly [name: string]: NewDescription }): Transform {
  return {
    // A key with a scheme is the URI of a resource, which servers need not list.
    names: usedNames(
      'describeItems()',
      Object.keys(changes).filter((name) => !name.includes(':')),
      ['tool', 'prompt'],
    ),
    list: (items) =>
      items.map((item) => {
        const change = Object.hasOwn(changes, item.name) ? changes[item.name] : undefined
        if (!change) return item
        const { annotations, _meta, ...members } = change
        const { definition } = item
        return {
          ...item,
          definition: {
            ...definition,
            ...members,
            ...(annotations && { annotations: { ...(definition.annotations as JsonObject | undefined), ...annotations } }),
            ...(_meta && { _meta: { ...(definition._meta as JsonObject | undefined), ..._meta } }),
          },
        }
      }),
  }
}
