import type { List } from '../client/lists.ts'
import type { CallOptions } from '../client/options.ts'
import { resourceNotFound } from '../protocol/errors.ts'
import type { Resource, ResourceTemplate } from '../protocol/types.ts'
import { parseTemplate } from '../schema/uri-template.ts'
import { fromAll, lazyList, type MergeOptions, type OfServer } from './merged.ts'

/** The resources and templates of all servers. Their URIs stay as they are. */
export interface MergedResources {
  resources(options?: CallOptions): List<OfServer<Resource>>
  templates(options?: CallOptions): List<OfServer<ResourceTemplate>>
  /** Finds the first server that lists a URI, or has a template for it. @throws RpcError when none does. */
  find(uri: string): Promise<string>
}

/** Makes one list of each. */
export function createMergedResources(merge: MergeOptions): MergedResources {
  const listed = new Map<string, ReadonlySet<string>>()
  const matching = new Map<string, readonly ((uri: string) => boolean)[]>()

  const resources = async (options?: CallOptions): Promise<OfServer<Resource>[]> => {
    const lists = await fromAll(merge, (client) => client.resources(options).toArray())
    for (const { server, items } of lists) listed.set(server, new Set(items.map(({ uri }) => uri)))
    return lists.flatMap(({ server, items }) => items.map((item) => ({ ...item, server })))
  }
  const templates = async (options?: CallOptions): Promise<OfServer<ResourceTemplate>[]> => {
    const lists = await fromAll(merge, (client) => client.templates(options).toArray())
    for (const { server, items } of lists)
      matching.set(
        server,
        items.map(({ uriTemplate }) => matcherOf(uriTemplate)),
      )
    return lists.flatMap(({ server, items }) => items.map((item) => ({ ...item, server })))
  }
  const known = (uri: string): string | undefined => {
    const names = [...merge.members.keys()]
    return (
      names.find((name) => listed.get(name)?.has(uri)) ??
      names.find((name) => matching.get(name)?.some((matches) => matches(uri)))
    )
  }

  return {
    resources: (options) => lazyList(() => resources(options)),
    templates: (options) => lazyList(() => templates(options)),
    async find(uri) {
      const found = known(uri) ?? (await Promise.all([resources(), templates()]).then(() => known(uri)))
      if (found === undefined) throw resourceNotFound(uri)
      return found
    },
  }
}

/** A template that cannot be read matches nothing. */
function matcherOf(template: string): (uri: string) => boolean {
  try {
    const { match } = parseTemplate(template)
    return (uri) => match(uri) !== undefined
  } catch {
    return () => false
  }
}
