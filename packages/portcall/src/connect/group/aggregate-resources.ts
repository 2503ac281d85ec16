import { normalUri } from '../../../../util/src/normal-uri.ts'
import type { List } from '../../client/lists.ts'
import type { CallOptions } from '../../client/options.ts'
import { resourceNotFound } from '../../protocol/errors.ts'
import type { Resource, ResourceTemplate } from '../../protocol/types.ts'
import { createNormalMatcher } from '../../schema/uri-template/normal-template.ts'
import { parseTemplate } from '../../schema/uri-template/template.ts'
import { type AggregateOptions, fetchFromAll, lazyList, type WithServer } from './aggregate.ts'

/** The resources and resource templates of all servers. Their URIs are not changed. */
export interface AggregatedResources {
  resources(options?: CallOptions): List<WithServer<Resource>>
  templates(options?: CallOptions): List<WithServer<ResourceTemplate>>
  /** Returns the first server that lists the URI, or else has a template that matches it. @throws RpcError when there is none. */
  find(uri: string): Promise<string>
}

export function createAggregatedResources(options: AggregateOptions): AggregatedResources {
  const uris = new Map<string, ReadonlySet<string>>()
  const matchers = new Map<string, readonly ((uri: string) => boolean)[]>()

  const resources = async (callOptions?: CallOptions): Promise<WithServer<Resource>[]> => {
    const lists = await fetchFromAll(options, (client) => client.resources(callOptions).toArray())
    for (const { server, items } of lists) uris.set(server, new Set(items.flatMap(({ uri }) => [uri, normalUri(uri)])))
    return lists.flatMap(({ server, items }) => items.map((item) => ({ ...item, server })))
  }
  const templates = async (callOptions?: CallOptions): Promise<WithServer<ResourceTemplate>[]> => {
    const lists = await fetchFromAll(options, (client) => client.resourceTemplates(callOptions).toArray())
    for (const { server, items } of lists)
      matchers.set(
        server,
        items.map(({ uriTemplate }) => createMatcher(uriTemplate)),
      )
    return lists.flatMap(({ server, items }) => items.map((item) => ({ ...item, server })))
  }
  const findListed = (uri: string): string | undefined => {
    const names = [...options.servers.keys()]
    return (
      names.find((name) => uris.get(name)?.has(uri)) ??
      names.find((name) => uris.get(name)?.has(normalUri(uri))) ??
      names.find((name) => matchers.get(name)?.some((matches) => matches(uri)))
    )
  }

  return {
    resources: (callOptions) => lazyList(() => resources(callOptions)),
    templates: (callOptions) => lazyList(() => templates(callOptions)),
    async find(uri) {
      const server = findListed(uri) ?? (await Promise.all([resources(), templates()]).then(() => findListed(uri)))
      if (server === undefined) throw resourceNotFound(uri)
      return server
    },
  }
}

/** An invalid template matches nothing. */
function createMatcher(template: string): (uri: string) => boolean {
  try {
    const { match } = parseTemplate(template)
    const matchNormal = createNormalMatcher(template)
    return (uri) => match(uri) !== undefined || matchNormal(uri) !== undefined
  } catch {
    return () => false
  }
}
