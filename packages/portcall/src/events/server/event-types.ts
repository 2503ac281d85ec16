import type { Awaitable } from '../../../../util/src/awaitable.ts'
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { describe } from '../../../../util/src/describe.ts'
import { withTimeout } from '../../../../util/src/timers.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { EVENT_DELIVERY_MODES, type EventDeliveryMode, type EventType } from '../../protocol/events.ts'
import type { CompiledSchema, Schema } from '../../schema/standard.ts'
import { compileMember } from '../../server/features/compile-member.ts'
import { createEntry, createRegistry, type Registry, type RegistryEntry } from '../../server/features/registry.ts'
import type { EventDefinition, EventHooks } from './definition.ts'
import type { EventFeed } from './feed.ts'

/** A definition and hooks with any types. */
export type AnyEventDefinition = EventDefinition<Schema | undefined, Schema>
export type AnyEventHooks = EventHooks<unknown, unknown>

/** A registered event type. */
export interface EventTypeEntry extends RegistryEntry<AnyEventDefinition, EventType> {
  readonly name: string
  readonly version: number
  readonly input: Pick<CompiledSchema, 'parse'>
  readonly payload: CompiledSchema
  readonly hooks: AnyEventHooks
  readonly feed: EventFeed
  /** True if clients can continue at a cursor. */
  readonly hasReplay: boolean
}

export type EventTypes = Registry<AnyEventDefinition, EventTypeEntry>

const NAMES: OptionNames<AnyEventDefinition> = {
  description: 'nonempty',
  input: 1,
  payload: 1,
  delivery: 'array',
  replay: 'boolean',
  retentionMs: 1,
  version: 'count',
  visible: 'function',
  scopes: 'texts',
  onInsufficientScope: ['challenge', 'hide'],
  _meta: 'object',
}
const HOOKS: OptionNames<AnyEventHooks> = { match: 'function', transform: 'function', authorize: 'function' }
const REQUIRED = { description: 'Say what the event means', payload: 'Pass the schema of the data' }
const ADVICE = {
  inputSchema: 'Use "input"',
  payloadSchema: 'Use "payload"',
  output: 'Use "payload"',
  match: 'Hooks are the third argument',
  transform: 'Hooks are the third argument',
  authorize: 'Hooks are the third argument',
}
const NAME = /^[\w./-]{1,128}$/

/** Checks the arguments of `server.event`. @throws TypeError */
export function checkEvent(name: unknown, definition: unknown, hooks: unknown): void {
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(
      `server.event(name, definition): the name of an event type has 1 to 128 letters, digits, "_", "-", "." or "/", not ${describe(name)}`,
    )
  const where = `server.event(${JSON.stringify(name)})`
  checkOptions(where, definition, { names: NAMES, required: REQUIRED, advice: ADVICE })
  checkOptions(`${where}: hooks`, hooks, { names: HOOKS })
  const { delivery, replay } = definition as AnyEventDefinition
  for (const mode of delivery ?? [])
    if (!EVENT_DELIVERY_MODES.includes(mode))
      throw new TypeError(`${where}: delivery is an array of "poll", "push" and "webhook", not of ${describe(mode)}`)
  if (delivery?.length === 0) throw new TypeError(`${where}: delivery is empty: name at least one way to receive the events`)
  if (replay === false && delivery?.includes('poll'))
    throw new TypeError(`${where}: events without replay cannot be polled: remove "poll" from delivery`)
}

export interface EventTypeOptions {
  readonly name: string
  readonly definition: AnyEventDefinition
  readonly hooks: AnyEventHooks
  /** The ways of delivery that the server offers. */
  readonly modes: readonly EventDeliveryMode[]
  readonly createFeed: (key: string) => EventFeed
  /** Time for one call of a hook. */
  readonly hookTimeoutMs: number
}

/** Creates the entry of an event type. @throws SchemaError when a schema is invalid; TypeError if there is no way to receive the events. */
export function createEventType(options: EventTypeOptions): EventTypeEntry {
  const { name, definition, modes, createFeed } = options
  const where = `the event type ${JSON.stringify(name)}`
  const input = compileMember(`input of ${where}`, definition.input)
  const payload = compileMember(`payload of ${where}`, definition.payload, 'output') as CompiledSchema
  const { version = 1, replay: hasReplay = true } = definition
  const wanted = definition.delivery ?? EVENT_DELIVERY_MODES
  const delivery = modes.filter((mode) => wanted.includes(mode) && (hasReplay || mode !== 'poll'))
  if (delivery.length === 0) throw new TypeError(`${where} cannot be received: the server offers only ${modes.join(', ')}`)
  const listing = {
    name,
    description: definition.description,
    delivery,
    inputSchema: input ? asObject(input.json, `input of ${where}`) : { type: 'object', additionalProperties: false },
    payloadSchema: asObject(payload.json, `payload of ${where}`),
    _meta: definition._meta,
  }
  return {
    ...createEntry<AnyEventDefinition, EventType>(definition, listing),
    name,
    version,
    input: input ?? { parse: () => ({ value: {} }) },
    payload,
    hooks: limitHooks(options),
    feed: createFeed(`events/${version}/${name}`),
    hasReplay,
  }
}

/** Creates the registry of the event types of a server. Definitions are not changed: a changed event is another one. */
export function createEventTypes(onChange: () => void): EventTypes {
  return createRegistry<AnyEventDefinition, EventTypeEntry>((entry, definition) => ({ ...entry, definition }), onChange)
}

function asObject(schema: JsonObject, what: string): JsonObject {
  if (schema.type === 'object') return schema
  if (schema.type === undefined) return { type: 'object', ...schema }
  throw new TypeError(`The schema ${what} must describe an object, not ${JSON.stringify(schema.type)}`)
}

/** Returns the hooks with a time limit, so that one that never returns does not hold up what waits for it. */
function limitHooks({ name, hooks, hookTimeoutMs }: EventTypeOptions): AnyEventHooks {
  const limit =
    <A extends unknown[], T>(hook: keyof AnyEventHooks, call: (...args: A) => Awaitable<T>) =>
    (...args: A): Awaitable<T> => {
      const result = call(...args)
      if (!(result instanceof Promise)) return result
      const toError = (): Error =>
        new Error(`${hook} of the event type ${name} took more than ${hookTimeoutMs} ms (hookTimeoutMs)`)
      return withTimeout(result, hookTimeoutMs, toError)
    }
  const { match, transform, authorize } = hooks
  return {
    ...(match && { match: limit('match', match) }),
    ...(transform && { transform: limit('transform', transform) }),
    ...(authorize && { authorize: limit('authorize', authorize) }),
  }
}
