import type { JSX } from 'preact'
import { changedResources } from '../../state/changed-resources.ts'
import type { InspectorServer, Resource, ResourceTemplate } from '../../state/protocol.ts'
import { inventoryOf } from '../../state/store.ts'
import { Badge } from '../../ui/basics.tsx'
import { ListDetail } from '../shell/list-detail.tsx'
import { ResourceDetail } from './resource-detail.tsx'
import { SubscriptionPanel } from './subscription-panel.tsx'
import { TemplateDetail } from './template-detail.tsx'

type Item = { readonly key: string; readonly label: string; readonly search: string } & (
  | { readonly resource: Resource }
  | { readonly template: ResourceTemplate }
)

/** The resources and resource templates of a server. */
export function ResourcesScreen({ server }: { server: InspectorServer }): JSX.Element {
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
  const changed = changedResources(server.id)
  const inventory = resources && resources.items.length === 0 && (templates?.items.length ?? 0) > 0 ? templates : resources
  return (
    <ListDetail
      kind="resources"
      server={server}
      inventory={inventory}
      items={items}
      searchOf={({ search }) => search}
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
      empty={{
        icon: 'file',
        title: 'The server has no resources',
        text: 'A resource that the server registers appears here at once.',
        choose: 'Its contents appear here.',
      }}
      detail={(item) =>
        'template' in item ? (
          <TemplateDetail server={server} template={item.template} />
        ) : (
          <ResourceDetail server={server} resource={item.resource} />
        )
      }
      // A resource that is not in the list, such as one that a result links to, can be read as well.
      unlisted={(uri) => <ResourceDetail server={server} resource={{ uri, name: uri }} />}
      head={<SubscriptionPanel server={server} />}
    />
  )
}
