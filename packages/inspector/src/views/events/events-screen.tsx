import type { JSX } from 'preact'
import { SchemaForm } from '../../form/form.tsx'
import { useFormChecks } from '../../form/form-checks.ts'
import { problemsOf } from '../../schema/problems.ts'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { initialValue } from '../../schema/value.ts'
import { operate } from '../../state/actions.ts'
import { draft } from '../../state/drafts.ts'
import type { InspectorServer } from '../../state/protocol.ts'
import { inventoryOf, store } from '../../state/store.ts'
import { Badge, Button, Callout, Fold } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Description, Untrusted } from '../../ui/untrusted.tsx'
import { ListDetail } from '../shell/list-detail.tsx'
import { EventSubscription } from './event-subscription.tsx'

const MODES = ['push', 'poll', 'webhook'] as const
type Mode = (typeof MODES)[number]

const nameOf = ({ name }: JsonObject): string => (typeof name === 'string' ? name : '')
const modesOf = ({ delivery }: JsonObject): Mode[] => MODES.filter((mode) => Array.isArray(delivery) && delivery.includes(mode))

/** The types of events of a server, and what arrives for those that the inspector has subscribed to. */
export function EventsScreen({ server }: { server: InspectorServer }): JSX.Element {
  const inventory = inventoryOf(server.id, 'events')
  return (
    <ListDetail
      kind="events"
      server={server}
      inventory={inventory}
      items={inventory?.items ?? []}
      keyOf={nameOf}
      searchOf={(type) => `${nameOf(type)} ${String(type['description'] ?? '')}`}
      empty={{
        icon: 'in',
        title: 'The server has no events',
        text: 'It declares the extension, and lists none for you.',
        choose: 'Subscribe to it, and see each delivery as it comes.',
      }}
      detail={(type) => <EventDetail server={server} type={type} />}
    />
  )
}

function EventDetail({ server, type }: { server: InspectorServer; type: JsonObject }): JSX.Element {
  const { description, inputSchema, payloadSchema } = type
  const name = nameOf(type)
  const subscriptions = [...store.operations.value.values()].filter(
    ({ serverId, request }) => serverId === server.id && request.type === 'event-subscribe' && request.name === name,
  )
  return (
    <>
      <header class="stack tight">
        <div class="detail-title">
          <h2 class="mono">
            <Untrusted text={name} />
          </h2>
          {modesOf(type).map((mode) => (
            <Badge key={mode}>{mode}</Badge>
          ))}
        </div>
        <Description text={typeof description === 'string' ? description : undefined} />
      </header>
      <SubscribeForm server={server} type={type} />
      {subscriptions.reverse().map((operation) => (
        <EventSubscription key={operation.id} operation={operation} />
      ))}
      <Fold title="Schemas">
        <div class="stack">
          {isObject(inputSchema) && <Json value={inputSchema} label="Arguments" />}
          {isObject(payloadSchema) && <Json value={payloadSchema} label="Data" />}
        </div>
      </Fold>
    </>
  )
}

function SubscribeForm({ server, type }: { server: InspectorServer; type: JsonObject }): JSX.Element {
  const name = nameOf(type)
  const schema = isObject(type['inputSchema']) ? type['inputSchema'] : {}
  const modes = modesOf(type)
  const key = `event ${server.id} ${name}`
  const value = draft<unknown>(key, () => initialValue(schema, schema) ?? {})
  const mode = draft<Mode>(`${key} mode`, () => modes[0] ?? 'push')
  const args = isObject(value.value) ? value.value : {}
  const checks = useFormChecks(problemsOf(args, schema))
  const subscribe = (): void => {
    if (checks.confirm()) void operate(server.id, { type: 'event-subscribe', name, arguments: args, mode: mode.value })
  }
  return (
    <div class="stack">
      <SchemaForm id={`event-${name}`} schema={schema} value={args} checks={checks} onChange={(next) => (value.value = next)} />
      <div class="toolbar">
        <label class="toolbar">
          Delivery
          <select value={mode.value} onChange={({ currentTarget }) => (mode.value = currentTarget.value as Mode)}>
            {modes.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <Button kind="primary" icon="play" onClick={subscribe} disabled={server.status !== 'connected' || modes.length === 0}>
          {checks.isWarned ? 'Subscribe anyway' : 'Subscribe'}
        </Button>
      </div>
      {mode.value === 'webhook' && <LoopbackNote />}
    </div>
  )
}

function LoopbackNote(): JSX.Element {
  return (
    <Callout title="The inspector receives on this machine, at 127.0.0.1.">
      <p>
        Servers refuse such addresses, to protect their own network. While you develop, allow it: with Portcall,{' '}
        <code>{"events({ webhooks: { allow: ['127.0.0.1'] } })"}</code>. A server on another machine cannot reach it.
      </p>
    </Callout>
  )
}
