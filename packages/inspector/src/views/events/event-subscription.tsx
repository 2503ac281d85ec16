import type { JSX } from 'preact'
import { formatTime } from '../../lib/format.ts'
import type { JsonObject } from '../../schema/schema.ts'
import { operate, run } from '../../state/actions.ts'
import type { OperationState } from '../../state/protocol.ts'
import { Badge, Button, Failure, Fold, IconButton } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'

const STATES: { readonly [Status in OperationState['status']]: string } = {
  running: 'subscribed',
  done: 'ended by the server',
  failed: 'failed',
  cancelled: 'ended',
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A subscription to events, with its deliveries, newest first. */
export function EventSubscription({ operation }: { operation: OperationState }): JSX.Element | null {
  const { id, request, status, result, failure, updates = [] } = operation
  if (request.type !== 'event-subscribe') return null
  const isActive = status === 'running'
  return (
    <section class="stack tight" aria-label={`Subscription by ${request.mode}`}>
      <div class="toolbar">
        <h3 class="mono small-text">
          {request.mode} <Untrusted text={JSON.stringify(request.arguments)} />
        </h3>
        <Badge tone={isActive && result ? 'good' : failure ? 'bad' : 'neutral'}>
          {isActive && !result ? 'subscribing' : STATES[status]}
        </Badge>
        {isActive && (
          <IconButton icon="stop" label="Unsubscribe" onClick={() => void run('cancel-operation', { operationId: id })} />
        )}
      </div>
      {failure && <Failure failure={failure} />}
      {textOf(result?.['url']) !== '' && (
        <p class="small-text muted">
          Receives at <code>{textOf(result?.['url'])}</code>
        </p>
      )}
      {isActive && result && updates.length === 0 && <p class="muted small-text">Waiting for events.</p>}
      <ol class="plain-list stack tight">
        {[...updates].reverse().map(({ time, value }, at) => (
          <li key={updates.length - at}>
            <Delivery time={time} value={value} operation={operation} />
          </li>
        ))}
      </ol>
    </section>
  )
}

interface DeliveryProps {
  readonly time: number
  readonly value: JsonObject
  readonly operation: OperationState
}

function Delivery({ time, value, operation }: DeliveryProps): JSX.Element {
  const { kind, type, eventId, cursor, verdict, reason, status, data, error, message, messageId, isRepeated, isReplay } = value
  const isDelivery = kind === 'delivery'
  const replay = (): void =>
    void operate(operation.serverId, { type: 'event-replay', operationId: operation.id, messageId: textOf(messageId) })
  return (
    <div class="stack tight">
      <div class="toolbar small-text">
        <span class="muted">{formatTime(time)}</span>
        <Badge>{textOf(isDelivery ? type : kind)}</Badge>
        {isDelivery && <Badge tone={verdict === 'valid' ? 'good' : 'bad'}>signature {textOf(verdict)}</Badge>}
        {isDelivery && <Badge tone={Number(status) < 300 ? 'good' : 'warn'}>answered {String(status)}</Badge>}
        {isReplay === true && <Badge tone="accent">replayed</Badge>}
        {isRepeated === true && <Badge tone="accent">dropped: repeated id</Badge>}
        {isDelivery && verdict === 'valid' && operation.status === 'running' && (
          <Button kind="quiet" icon="refresh" onClick={replay}>
            Replay
          </Button>
        )}
      </div>
      <p class="mono small-text">
        <Untrusted text={[textOf(eventId), cursor === undefined ? '' : `cursor ${String(cursor)}`].filter(Boolean).join(' · ')} />
      </p>
      {(textOf(reason) || textOf(message)) && (
        <p class="small-text">
          <Untrusted text={textOf(reason) || textOf(message)} />
        </p>
      )}
      {(data ?? error) !== undefined && (
        <Fold title="Data">
          <Json value={data ?? error} label="data" />
        </Fold>
      )}
    </div>
  )
}
