import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { defineClientExtension } from '../../client/define-extension.ts'
import { assertObjectArgument, assertStringArgument, ExtensionUnsupportedError } from '../../client/errors.ts'
import type { ClientExtension, ClientExtensionContext } from '../../client/extension.ts'
import { isObject } from '../../jsonrpc/message.ts'
import {
  EVENTS_CAPABILITY,
  EVENTS_EXTENSION,
  EVENTS_LIST_CHANGED_FILTER,
  type EventDeliveryMode,
  EventMethod,
  EventNotification,
  type EventType,
} from '../../protocol/events.ts'
import { MODERN_VERSIONS } from '../../protocol/revisions.ts'
import type { EventWebhook } from '../receiver/types.ts'
import { EventSubscriptionError } from './errors.ts'
import { type StartedSubscription, startSubscription, stateKey } from './subscription.ts'
import type { ClientEvents, ClientEventsOptions, EventOptions } from './types.ts'

const OPTIONS: OptionNames<ClientEventsOptions> = {
  state: 'object',
  webhook: 'function',
  minPollDelayMs: 1000,
  silenceTimeoutMs: 65_000,
}
const MODES: readonly EventDeliveryMode[] = ['webhook', 'push', 'poll']
const ON_OPTIONS: OptionNames<EventOptions> = {
  mode: MODES,
  webhook: 'function',
  state: 'object',
  cursor: true,
  maxAgeMs: 1,
  maxEvents: 'count',
  ttlMs: true,
  signal: 'object',
  onGap: 'function',
  onError: 'function',
  onDeliveryStatus: 'function',
}
const USAGE = 'client.events.on(name, args, handler)'

/**
 * Creates the client side of the Events extension (SEP-3415): `client.events` lists the event types of a server and subscribes to them.
 *
 * @example
 * const client = await connect(url, { extensions: [events()] })
 * await client.events.on('order.created', { region: 'eu' }, ({ data }) => console.log(data))
 */
export function events(options: ClientEventsOptions = {}): ClientExtension<'events', ClientEvents> {
  checkOptions('events', options, { names: OPTIONS })
  return defineClientExtension({
    id: EVENTS_EXTENSION,
    name: 'events',
    legacy: false,
    setup: (context) => createClientEvents(context, options),
  })
}

function createClientEvents(context: ClientExtensionContext, defaults: ClientEventsOptions): ClientEvents {
  const open = new Set<StartedSubscription>()
  /** The keys that are in use, by the state that has them. */
  const taken: WeakMap<object, Set<string>> = new WeakMap()
  for (const method of Object.values(EventMethod))
    context.method(method, method === EventMethod.stream ? { longLived: true } : {})
  context.onClose(() => {
    for (const started of open) started.detach()
  })
  /** Servers of the sketch before the specification declare a capability instead of the extension. */
  const requireEvents = async (): Promise<void> => {
    const { capabilities } = await context.client.discover()
    const isDeclared =
      isObject(capabilities?.extensions?.[EVENTS_EXTENSION]) || isObject(Reflect.get(capabilities ?? {}, EVENTS_CAPABILITY))
    if (!isDeclared || !MODERN_VERSIONS.includes(context.client.protocolVersion))
      throw new ExtensionUnsupportedError(EVENTS_EXTENSION)
  }
  const list: ClientEvents['list'] = (options) =>
    context.list<EventType>({ method: EventMethod.list, key: 'events', beforeFetch: requireEvents, accept: isEventType }, options)

  return {
    list,
    async on(name, args, ...[handler, own = {}]) {
      assertStringArgument(name, USAGE)
      assertObjectArgument(args, USAGE)
      if (typeof handler !== 'function') throw new TypeError(`${USAGE}: the handler must be a function`)
      checkOptions('client.events.on: options', own, { names: ON_OPTIONS })
      own.signal?.throwIfAborted()
      const options = { ...defaults, ...own }
      const types = await list(own.signal && { signal: own.signal }).toArray()
      const { mode, webhook } = chooseMode(name, types, options)
      const keys = keysOf(taken, webhook ? WEBHOOKS : options.state)
      const key = stateKey({ name, arguments: args, webhook })
      if (keys?.has(key))
        throw new TypeError(`${USAGE}: there is an open subscription with these arguments, and both would have one state`)
      keys?.add(key)
      const onEnd = (): void => {
        keys?.delete(key)
        if (started) open.delete(started)
      }
      let started: StartedSubscription | undefined
      try {
        started = await startSubscription({ context, name, arguments: args, mode, webhook, handler, options, onEnd })
      } catch (error) {
        onEnd()
        throw error
      }
      if (!started.hasEnded) open.add(started)
      await started.active
      return started.subscription
    },
    onListChanged(listener) {
      let acknowledgements = 0
      const subscription = context.subscribe({ [EVENTS_LIST_CHANGED_FILTER]: true }, ({ method }) => {
        const isAgain = method === 'notifications/subscriptions/acknowledged' && acknowledgements++ > 0
        if (isAgain || method === EventNotification.listChanged) listener()
      })
      return () => subscription.close()
    },
    subscriptions: () => [...open].map(({ subscription }) => subscription),
    async closeAll() {
      await Promise.all([...open].map(({ subscription }) => subscription.close()))
    },
  }
}

/** Stands for the state of webhooks: one URL is one subscription of the server, whatever receives it. */
const WEBHOOKS = {}

function keysOf(taken: WeakMap<object, Set<string>>, owner: object | undefined): Set<string> | undefined {
  if (!owner) return undefined
  const keys = taken.get(owner) ?? new Set()
  taken.set(owner, keys)
  return keys
}

/** Returns the mode for an event type. @throws EventSubscriptionError if there is none. */
function chooseMode(
  name: string,
  types: readonly EventType[],
  { mode, webhook }: EventOptions,
): { readonly mode: EventDeliveryMode; readonly webhook: EventWebhook | undefined } {
  const type = types.find((one) => one.name === name)
  if (!type) throw new EventSubscriptionError('unknown_event', `The server has no event type ${JSON.stringify(name)}`)
  const usable = MODES.filter((one) => (mode === undefined || one === mode) && (one !== 'webhook' || webhook !== undefined))
  const chosen = usable.find((one) => type.delivery.includes(one))
  if (chosen) return { mode: chosen, webhook: chosen === 'webhook' ? webhook : undefined }
  const hint = webhook ? '' : '. For webhook, pass eventWebhook(…) as "webhook"'
  throw new EventSubscriptionError(
    'no_delivery_mode',
    `The event type ${name} is delivered by ${type.delivery.join(', ')}, and only ${usable.join(', ') || 'none'} can be used here${hint}`,
  )
}

/** Reports whether an entry of the list can be used. Descriptions and schemas may be missing. */
function isEventType({ name, delivery }: EventType): boolean {
  return typeof name === 'string' && Array.isArray(delivery)
}
