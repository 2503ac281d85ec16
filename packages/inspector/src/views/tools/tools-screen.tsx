import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { InspectorServer, Tool } from '../../state/protocol.ts'
import { inventoryOf, store } from '../../state/store.ts'
import { Badge } from '../../ui/basics.tsx'
import { Icon } from '../../ui/icon.tsx'
import { loadQuality, tokensOf } from '../check/quality.ts'
import { ListDetail } from '../shell/list-detail.tsx'
import { ToolDetail } from './tool-detail.tsx'

/** The tools of a server: the list, and the chosen one with its form and its result. */
export function ToolsScreen({ server }: { server: InspectorServer }): JSX.Element {
  const inventory = inventoryOf(server.id, 'tools')
  const tools = inventory?.items ?? []
  useEffect(() => {
    if (server.status === 'connected' && inventory?.status === 'ready') void loadQuality(server.id)
  }, [server.id, server.status, inventory?.fetchedAt])
  return (
    <ListDetail
      kind="tools"
      server={server}
      inventory={inventory}
      items={tools}
      searchOf={({ name, title, description }) => `${name} ${title ?? ''} ${description ?? ''}`}
      keyOf={({ name }) => name}
      row={(tool) => <ToolRow server={server} tool={tool} />}
      empty={{
        icon: 'tool',
        title: 'The server has no tools',
        text: 'A tool that the server registers appears here at once.',
        choose: 'Its form, its schema and its results appear here.',
      }}
      detail={(tool) => <ToolDetail server={server} tool={tool} />}
    />
  )
}

function ToolRow({ server, tool }: { server: InspectorServer; tool: Tool }): JSX.Element {
  const findings =
    store.quality.value.get(server.id)?.findings.filter(({ item }) => item?.kind === 'tools' && item.key === tool.name) ?? []
  const tokens = tokensOf(server.id, tool.name)
  return (
    <>
      {tool.annotations?.readOnlyHint !== true &&
        tool.annotations?.destructiveHint !== false &&
        tool.annotations !== undefined && (
          <Badge tone="warn" title="It may delete or overwrite something">
            destructive
          </Badge>
        )}
      {findings.length > 0 && (
        <Badge
          tone={findings.some(({ level }) => level === 'error') ? 'bad' : 'neutral'}
          title={[`Advice for the author of the server (${findings.length}):`, ...findings.map(({ message }) => message)].join(
            '\n',
          )}
        >
          <Icon name="warning" class="small" />
          {findings.length}
        </Badge>
      )}
      {tokens !== undefined && (
        <span class="row-tokens" title={`A model reads about ${tokens} tokens for this tool`}>
          {tokens} tok
        </span>
      )}
    </>
  )
}
