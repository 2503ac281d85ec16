import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { filterBy } from '../../lib/fuzzy.ts'
import { changedResources } from '../../state/changed-resources.ts'
import type { InspectorServer, Resource, ResourceTemplate } from '../../state/protocol.ts'
import { go, route } from '../../state/route.ts'
import { inventoryOf } from '../../state/store.ts'
import { Badge } from '../../ui/basics.tsx'
import { ListDetail, NothingChosen } from '../shell/list-detail.tsx'
import { ResourceDetail } from './resource-detail.tsx'
import { SubscriptionPanel } from './subscription-panel.tsx'
import { TemplateDetail } from './template-detail.tsx'

type Item = { readonly key: string; readonly label: string; readonly search: string } & (
  | { readonly resource: Resource }
  | { readonly template: ResourceTemplate }
)

/** The resources and resource templates of a server. */
export function ResourcesScreen({ server }: { server: InspectorServer }): JSX.Element {
  const query = useSignal('')
  const resources = inventoryOf(server.id, 'resources')
  const templates = inventoryOf(server.id, 'templates')
  const items: Item[] = [
    ...(templates?.items ?? []).map((template) => ({
      key: template.uriTemplate,
      label: template.title ?? template.name,
      search: `${template.name} ${template.uriTemplate}`,
      template,
    })),
    ...(resources?.items ?? []).map((resource) => ({
      key: resource.uri,
      label: resource.title ?? resource.name,
      search: `${resource.name} ${resource.uri}`,
      resource,
    })),
  ]
  const wanted = 'item' in route.value ? route.value.item : undefined
  const chosen = items.find(({ key }) => key === wanted)
  const changed = changedResources(server.id)
  const inventory = resources && resources.items.length === 0 && (templates?.items.length ?? 0) > 0 ? templates : resources
  return (
    <ListDetail
      kind="resources"
      noun="resource"
      server={server}
      inventory={inventory}
      query={query.value}
      onQuery={(next) => {
        query.value = next
      }}
      items={filterBy(items, query.value, ({ search }) => search)}
      keyOf={({ key }) => key}
      labelOf={({ label }) => label}
      row={(item) =>
        'template' in item ? (
          <Badge>template</Badge>
        ) : (
          <>
            {changed.has(item.key) && <Badge tone="accent">changed</Badge>}
            {item.resource.mimeType && <span class="row-tokens">{item.resource.mimeType}</span>}
          </>
        )
      }
      selected={wanted}
      onSelect={({ key }) => go({ screen: 'resources', serverId: server.id, item: key })}
      empty={{
        icon: 'file',
        title: 'The server has no resources',
        text: 'A resource that the server registers appears here at once.',
      }}
      head={<SubscriptionPanel server={server} />}
    >
      <Chosen server={server} item={chosen} uri={wanted} />
    </ListDetail>
  )
}

/** A resource that is not in the list, such as one that a result links to, can be read as well. */
function Chosen({
  server,
  item,
  uri,
}: {
  server: InspectorServer
  item: Item | undefined
  uri: string | undefined
}): JSX.Element {
  if (item && 'template' in item) return <TemplateDetail key={item.key} server={server} template={item.template} />
  if (item) return <ResourceDetail key={item.key} server={server} resource={item.resource} />
  if (uri !== undefined) return <ResourceDetail key={uri} server={server} resource={{ uri, name: uri }} />
  return <NothingChosen icon="file" noun="resource" text="Its contents appear here." />
}
