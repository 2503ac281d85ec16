import type { JSX } from 'preact'
import { formatTime } from '../../lib/format.ts'
import { operate, run } from '../../state/actions.ts'
import type { InspectorServer, OperationState, SubscriptionFilter } from '../../state/protocol.ts'
import { store } from '../../state/store.ts'
import { Badge, Button, Fold, IconButton } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'

const LISTS: SubscriptionFilter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

/** The subscriptions of a server: what was asked for, what was granted, and each change. */
export function SubscriptionPanel({ server }: { server: InspectorServer }): JSX.Element {
  const subscriptions = [...store.operations.value.values()].filter(
    ({ serverId, status, request }) => serverId === server.id && request.type === 'listen' && status === 'running',
  )
  return (
    <Fold
      title="Subscriptions"
      extra={subscriptions.length > 0 ? <Badge tone="accent">{subscriptions.length}</Badge> : undefined}
    >
      <div class="stack tight">
        {subscriptions.length === 0 && <p class="muted small-text">Subscribe to a resource, or to the lists.</p>}
        {subscriptions.map((subscription) => (
          <Subscription key={subscription.id} subscription={subscription} />
        ))}
        <Button
          kind="quiet"
          icon="plus"
          disabled={server.status !== 'connected'}
          onClick={() => void operate(server.id, { type: 'listen', filter: LISTS })}
        >
          Subscribe to the lists
        </Button>
      </div>
    </Fold>
  )
}

function Subscription({
  subscription: { id, request, result, updates = [] },
}: {
  subscription: OperationState
}): JSX.Element | null {
  if (request.type !== 'listen') return null
  const { resourceSubscriptions = [], ...lists } = request.filter
  const name = [...resourceSubscriptions, ...Object.keys(lists)].join(', ')
  return (
    <div class="subscription">
      <div class="toolbar">
        <span class="mono small-text subscription-name">{name}</span>
        <Badge tone={updates.length > 0 ? 'accent' : 'neutral'}>
          {updates.length === 1 ? '1 event' : `${updates.length} events`}
        </Badge>
        <IconButton
          icon="close"
          label={`Unsubscribe from ${name}`}
          onClick={() => void run('cancel-operation', { operationId: id })}
        />
      </div>
      {result && <Json value={result} label="granted" />}
      {updates.length > 0 && (
        <ol class="updates">
          {updates
            .slice(-5)
            .reverse()
            .map(({ time, value }) => (
              <li key={time} class="small-text">
                <span class="muted">{formatTime(time)}</span> <code>{JSON.stringify(value)}</code>
              </li>
            ))}
        </ol>
      )}
    </div>
  )
}
