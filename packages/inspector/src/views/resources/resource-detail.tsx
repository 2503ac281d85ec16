import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { formatBytes } from '../../lib/format.ts'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { operate, run } from '../../state/actions.ts'
import { changedResources } from '../../state/changed-resources.ts'
import type { InspectorServer, OperationRequest, OperationState, Resource, ResourceContents } from '../../state/protocol.ts'
import { lastOperation, store } from '../../state/store.ts'
import { Badge, Button } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Description, Untrusted } from '../../ui/untrusted.tsx'
import { ResourceView } from '../results/content.tsx'
import { OperationResult } from '../results/operation-result.tsx'
import { useCurrentOperation } from '../shell/current-operation.ts'
import { CopyAs } from '../tools/copy-as.tsx'

/** A resource with its contents. */
export function ResourceDetail({ server, resource }: { server: InspectorServer; resource: Resource }): JSX.Element {
  const { uri, name, title, description, mimeType, size } = resource
  return (
    <>
      <header class="stack tight">
        <div class="detail-title">
          <h2>
            <Untrusted text={title ?? name} />
          </h2>
          {mimeType && <Badge>{mimeType}</Badge>}
          {size !== undefined && <Badge>{formatBytes(size)}</Badge>}
        </div>
        <p class="mono muted">
          <Untrusted text={uri} />
        </p>
        <Description text={description} />
      </header>
      <ReadResource server={server} uri={uri} isReadAtOnce />
    </>
  )
}

interface ReadResourceProps {
  readonly server: InspectorServer
  readonly uri: string
  /** Set to read it when it is shown for the first time. */
  readonly isReadAtOnce?: boolean
}

/** Reads an address and shows its contents. */
export function ReadResource({ server, uri, isReadAtOnce = false }: ReadResourceProps): JSX.Element {
  const request: OperationRequest = { type: 'read-resource', uri }
  const operation = lastOperation(
    server.id,
    ({ request: { type, ...rest } }) => type === 'read-resource' && 'uri' in rest && rest.uri === uri,
  )
  useCurrentOperation(operation?.id)
  const isConnected = server.status === 'connected'
  const isUnread = isReadAtOnce && isConnected && operation === undefined
  useEffect(() => {
    if (isUnread) void operate(server.id, request)
  }, [uri, isUnread])
  return (
    <>
      <div class="toolbar">
        <Button kind="primary" icon="play" disabled={!isConnected || uri === ''} onClick={() => void operate(server.id, request)}>
          {operation || isUnread ? 'Read again' : 'Read'}
        </Button>
        <Subscribe server={server} uri={uri} />
        <CopyAs source={{ serverId: server.id, request }} />
        {changedResources(server.id).has(uri) && <Badge tone="accent">changed since it was read</Badge>}
      </div>
      {operation && (
        <OperationResult operation={operation}>{(result) => <Contents result={result} operation={operation} />}</OperationResult>
      )}
    </>
  )
}

const isContents = (value: unknown): value is ResourceContents =>
  isObject(value) && typeof value['uri'] === 'string' && (typeof value['text'] === 'string' || typeof value['blob'] === 'string')

function Contents({ result, operation }: { result: JsonObject; operation: OperationState }): JSX.Element {
  const { contents } = result
  const parts = Array.isArray(contents) ? contents.filter(isContents) : []
  return (
    <Tabs
      key={operation.id}
      label="Views of the result"
      items={[
        {
          id: 'contents',
          label: parts.length === 1 ? 'Contents' : `Contents (${parts.length})`,
          content: () => (
            <div class="stack">
              {parts.map((part, index) => (
                <ResourceView key={index} contents={part} />
              ))}
              {parts.length === 0 && <p class="muted">The resource has no contents.</p>}
            </div>
          ),
        },
        { id: 'raw', label: 'Raw', content: () => <Json value={result} label="result" /> },
      ]}
    />
  )
}

/** Returns the running subscription of a server that covers a resource. */
export function subscriptionTo(serverId: string, uri: string): OperationState | undefined {
  return [...store.operations.value.values()].findLast(
    ({ serverId: owner, status, request }) =>
      owner === serverId &&
      status === 'running' &&
      request.type === 'listen' &&
      request.filter.resourceSubscriptions?.includes(uri) === true,
  )
}

function Subscribe({ server, uri }: { server: InspectorServer; uri: string }): JSX.Element | null {
  if (!server.capabilities?.resources?.subscribe) return null
  const subscription = subscriptionTo(server.id, uri)
  const toggle = (): void => {
    if (subscription) void run('cancel-operation', { operationId: subscription.id })
    else void operate(server.id, { type: 'listen', filter: { resourceSubscriptions: [uri] } })
  }
  return (
    <Button icon="pulse" pressed={subscription !== undefined} disabled={server.status !== 'connected'} onClick={toggle}>
      {subscription ? 'Subscribed' : 'Subscribe'}
    </Button>
  )
}
