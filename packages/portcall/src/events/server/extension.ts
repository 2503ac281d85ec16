import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import type { RpcError } from '../../jsonrpc/errors.ts'
import { sessionOf } from '../../protocol/caller-identity.ts'
import { methodNotFound } from '../../protocol/errors.ts'
import {
  EVENT_DELIVERY_MODES,
  EVENTS_CAPABILITY,
  EVENTS_EXTENSION,
  EVENTS_LIST_CHANGED_FILTER,
  EventMethod,
  EventNotification,
  type EventType,
} from '../../protocol/events.ts'
import type { Infer, Schema } from '../../schema/standard.ts'
import type { Call, CallContext } from '../../server/call.ts'
import { defineServerExtension } from '../../server/define-extension.ts'
import type { ServerExtension, ServerExtensionContext } from '../../server/extension.ts'
import { createVisibleItems } from '../../server/features/lists.ts'
import { createAnnouncements } from '../../stores/announcements.ts'
import type { Bus } from '../../stores/bus.ts'
import { decorateBus, decorateLog, timeoutDecorator } from '../../stores/decorate.ts'
import type { EventLog } from '../../stores/log.ts'
import { createMemoryLog } from '../../stores/memory/log.ts'
import type { EmitOptions, EventArguments, EventDefinition, EventHooks, EventSource } from './definition.ts'
import { createEmit, type Emit } from './emit.ts'
import { eventErrors, unknownSubscription } from './errors.ts'
import {
  type AnyEventDefinition,
  type AnyEventHooks,
  checkEvent,
  createEventType,
  createEventTypes,
  type EventTypeEntry,
  type EventTypes,
} from './event-types.ts'
import { createEventFeed } from './feed.ts'
import { EVENT_LIMITS, type EventLimits } from './limits.ts'
import { createPollHandler } from './poll.ts'
import { type EventsProfile, type EventsProfileName, readProfile } from './profile.ts'
import { createPushStreams, type PushStreams } from './push-streams.ts'
import { createEventReader } from './reader.ts'
import { createSelector, type Selection } from './selection.ts'
import { WEBHOOK_LIMITS } from './webhooks/limits.ts'
import { WEBHOOKS_NAMES, type WebhooksOptions } from './webhooks/options.ts'
import { createWebhooks, type Webhooks } from './webhooks/webhooks.ts'

/** How events are stored and delivered. */
export interface EventsOptions {
  /** Where events are stored. Default: the log of the server's stores, by default the memory of this process. */
  readonly log?: EventLog
  /** Tells the processes of one service about new events. Default: the bus of the server. */
  readonly bus?: Bus
  /**
   * Delivers events to webhooks too, for authenticated callers: `true`, or options. Subscriptions are kept in the store of the server, where
   * their secrets are sealed with its `sealingKeys`. Default: false.
   */
  readonly webhooks?: boolean | WebhooksOptions
  /** Limits on sizes, counts and times. */
  readonly limits?: Partial<EventLimits>
  /** Differences of products from the SEP: the name of a profile, or members. Default: `'spec'`. */
  readonly profile?: EventsProfileName | Partial<EventsProfile>
  /** Returns the current time in milliseconds since 1970. */
  readonly now?: () => number
}

/** The API at `server.event`: adds event types, and emits events. */
export interface ServerEvents {
  /**
   * Adds an event type.
   *
   * @throws SchemaError when a schema is invalid; TypeError for a definition of the wrong shape; Error when the name is taken.
   */
  <const I extends Schema | undefined = undefined, const P extends Schema = Schema>(
    name: string,
    definition: EventDefinition<I, P>,
    hooks?: EventHooks<EventArguments<I>, Infer<P>>,
  ): EventSource<P>
  /** Emits an event of a type, where what `server.event` returned is not at hand. @throws Error when there is no such type. */
  emit(name: string, data: object, options?: EmitOptions): Promise<string>
  /** Stops deliveries to webhooks in this process, and resolves when none is running. They continue in another process, or after a restart. */
  stop(): Promise<void>
}

const NAMES: OptionNames<EventsOptions> = {
  log: 'object',
  bus: 'object',
  webhooks: 1,
  limits: 'object',
  profile: 1,
  now: 1,
}
const PROFILE: OptionNames<EventsProfile> = {
  errors: ['spec', 'sketch'],
  legacy: 'boolean',
  topLevelCapability: 'boolean',
  unknownSubscription: ['error', 'empty'],
  webhookId: ['event', 'message'],
}
const TOPIC = 'events'

/**
 * Creates the server side of the Events extension (SEP-3415): clients poll for events, or receive them on a
 * stream or a webhook.
 *
 * @example
 * const server = createServer({ name: 'shop', version: '1.0.0' }, { extensions: [events()] })
 * const created = server.event('order.created', {
 *   description: 'A new order was placed in a region.',
 *   input: z.object({ region: z.string() }),
 *   payload: z.object({ orderId: z.string(), region: z.string() }),
 * }, { match: ({ data }, { arguments: { region } }) => data.region === region })
 * await created.emit({ orderId: '7731', region: 'eu' })
 */
export function events(options: EventsOptions = {}): ServerExtension<'event', ServerEvents> {
  checkOptions('events()', options, { names: NAMES, advice: { stores: 'Pass "stores" to createServer', store: 'Use "log"' } })
  checkOptions('events(): limits', options.limits ?? {}, { names: EVENT_LIMITS })
  const { webhooks = false } = options
  if (typeof webhooks !== 'boolean') {
    checkOptions('events(): webhooks', webhooks, { names: WEBHOOKS_NAMES })
    checkOptions('events(): webhooks: limits', webhooks.limits ?? {}, { names: WEBHOOK_LIMITS })
  }
  if (typeof options.profile === 'object') checkOptions('events(): profile', options.profile, { names: PROFILE })
  const profile = readProfile(options.profile)
  return defineServerExtension({
    id: EVENTS_EXTENSION,
    name: 'event',
    settings: { listChanged: true },
    legacy: profile.legacy,
    ...(profile.topLevelCapability && { otherCapabilities: { [EVENTS_CAPABILITY]: {} } }),
    setup: (context) => setUp(context, options, profile),
  })
}

function setUp(context: ServerExtensionContext, options: EventsOptions, profile: EventsProfile): ServerEvents {
  const { now = Date.now } = options
  const limits = { ...EVENT_LIMITS, ...options.limits }
  const withTimeout = timeoutDecorator(limits.storeTimeoutMs)
  const log = decorateLog(options.log ?? context.server.stores?.log ?? createMemoryLog({ now }), withTimeout)
  const bus = decorateBus(options.bus ?? context.bus, withTimeout)
  const createError = eventErrors(profile.errors)
  const onError = context.reportError
  const announcements = createAnnouncements({ bus, topic: TOPIC, intervalMs: limits.pollIntervalMs, onError })
  const types: EventTypes = createEventTypes(() => {
    context.publish({ key: EVENTS_LIST_CHANGED_FILTER, subject: '', method: EventNotification.listChanged, params: {} })
    streams.check()
  })
  const selector = createSelector({ types, createError, ...limits })
  const reader = createEventReader({ selector, createError, now })
  const endOf = ({ type }: Selection): RpcError | undefined => {
    if (types.get(type.name)?.feed === type.feed) return undefined
    return createError('NotFound', `The event type ${type.name} was removed`, { kind: 'event' })
  }
  const streams: PushStreams = createPushStreams({
    selector,
    reader,
    announcements,
    limits,
    createError,
    onError: context.server.reportError,
    endOf,
  })
  const webhooks =
    options.webhooks &&
    createWebhooks({
      options: options.webhooks === true ? {} : options.webhooks,
      store: context.store,
      storeTimeoutMs: limits.storeTimeoutMs,
      sealer: context.sealer,
      bus,
      types,
      selector,
      reader,
      announcements,
      profile,
      createError,
      onError,
      onWarning: context.reportWarning,
      now,
    })
  const method: typeof context.method = (name, definition, handler) =>
    context.method(name, { open: true, ...definition }, (params, call) => {
      if (!profile.legacy && sessionOf(call.request)) throw methodNotFound(name)
      return handler(params, call)
    })
  method(EventMethod.list, {}, createListHandler(context, types))
  method(EventMethod.poll, {}, createPollHandler({ selector, reader, limits }))
  method(EventMethod.stream, { longLived: true }, streams.open)
  // Without webhooks, no type can be subscribed to, and there is no subscription.
  method(EventMethod.subscribe, {}, webhooks ? webhooks.subscribe : (params, call) => selector.select(params, call, 'webhook'))
  method(EventMethod.unsubscribe, {}, webhooks ? webhooks.unsubscribe : () => unknownSubscription(profile, createError))
  context.handleSubscriptionFilter(EVENTS_LIST_CHANGED_FILTER, (value) => (value === true ? true : undefined), { open: true })
  context.onClose(() => {
    streams.close()
    announcements.close()
    if (webhooks) void webhooks.stop()
  })
  const emit = createEmit({ announcements, limits, now })
  return createApi({ types, emit, webhooks: webhooks || undefined, log, ...limits })
}

function createListHandler({ paginate }: ServerExtensionContext, types: EventTypes) {
  const visible = createVisibleItems<EventType>(types.entries)
  return async (_: unknown, call: Call): Promise<object> => {
    const listed = await visible.items(call as CallContext)
    const { items, ...rest } = await paginate(listed, call, ({ name }) => name)
    return { events: call.auth ? items : items.flatMap(withoutWebhook), ...rest }
  }
}

/** Returns the entry for callers without authentication, who cannot use webhooks; nothing if there is no other way. */
function withoutWebhook(type: EventType): EventType[] {
  const delivery = type.delivery.filter((mode) => mode !== 'webhook')
  return delivery.length > 0 ? [{ ...type, delivery }] : []
}

interface ApiOptions {
  readonly types: EventTypes
  readonly emit: Emit
  readonly webhooks: Webhooks | undefined
  readonly log: EventLog
  readonly hookTimeoutMs: number
}

function createApi({ types, emit, webhooks, log, hookTimeoutMs }: ApiOptions): ServerEvents {
  const typeOf = (name: string): EventTypeEntry => {
    const type = types.get(name)
    if (!type) throw new Error(`There is no event type ${JSON.stringify(name)}: add it with server.event(name, definition)`)
    return type
  }
  const add = (name: string, definition: AnyEventDefinition, hooks: AnyEventHooks = {}): EventSource => {
    checkEvent(name, definition, hooks)
    types.assertFree(name)
    const createFeed = (key: string) => createEventFeed(log, key)
    const modes = EVENT_DELIVERY_MODES.filter((mode) => mode !== 'webhook' || webhooks)
    const type = createEventType({ name, definition, hooks, modes, createFeed, hookTimeoutMs })
    types.add(name, type)
    const end = webhooks?.addType(type)
    return {
      name,
      emit: (data, emitOptions) => emit(typeOf(name), data, emitOptions),
      remove() {
        if (types.get(name) !== type) return
        types.items.remove(name)
        end?.()
      },
    }
  }
  return Object.assign(add, {
    emit: async (name: string, data: object, emitOptions?: EmitOptions) => emit(typeOf(name), data, emitOptions),
    stop: async () => webhooks?.stop(),
  }) as ServerEvents
}
