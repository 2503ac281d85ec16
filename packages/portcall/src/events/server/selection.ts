import { isLargerThan } from '../../../../util/src/bytes.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { invalidParams } from '../../protocol/errors.ts'
import type { EventCursor, EventDeliveryMode } from '../../protocol/events.ts'
import type { Call, CallContext } from '../../server/call.ts'
import { checkAccess } from '../../server/features/access.ts'
import type { EventSubscriber } from './definition.ts'
import type { CreateEventError } from './errors.ts'
import type { EventTypeEntry, EventTypes } from './event-types.ts'

/** The events that a request selects. */
export interface Selection {
  readonly type: EventTypeEntry
  /** The arguments as they were sent. */
  readonly args: JsonObject
  readonly subscriber: EventSubscriber
}

/** Where the events of a request begin. */
export interface Start {
  readonly cursor: EventCursor
  readonly maxAgeMs: number | undefined
}

export interface SelectorOptions {
  readonly types: EventTypes
  readonly maxArgumentBytes: number
  readonly createError: CreateEventError
}

/** Reads what requests select. */
export interface Selector {
  /** Returns the events that a request selects, if the caller may receive them in this way. @throws RpcError */
  select(params: JsonObject, call: Call, mode: EventDeliveryMode): Promise<Selection>
  /** Returns the name and the arguments of a request, for an event type that may have gone. @throws RpcError */
  read(params: JsonObject): { name: string; args: JsonObject }
  /** Throws if a subscriber must not receive the events any more. @throws RpcError `Forbidden` */
  authorize(type: EventTypeEntry, subscriber: EventSubscriber): Promise<void>
  /** Validates arguments. @throws RpcError */
  parse(type: EventTypeEntry, args: JsonObject): Promise<unknown>
}

const MAX_NAME_LENGTH = 128

export function createSelector({ types, maxArgumentBytes, createError }: SelectorOptions): Selector {
  const read: Selector['read'] = ({ name, arguments: args = {} }) => {
    if (typeof name !== 'string') throw invalidParams('name must be a string')
    if (!isObject(args)) throw invalidParams('arguments must be an object')
    if (isLargerThan(JSON.stringify(args), maxArgumentBytes))
      throw invalidParams(`arguments have more than ${maxArgumentBytes} bytes`)
    return { name, args }
  }
  const parse: Selector['parse'] = async (type, args) => {
    const parsed = await type.input.parse(args)
    if (!parsed.issues) return parsed.value
    const [first] = parsed.issues
    throw invalidParams(`arguments.${first?.path.join('.') ?? ''}: ${first?.message ?? ''}`, { issues: parsed.issues })
  }
  const authorize: Selector['authorize'] = async ({ name, hooks }, subscriber) => {
    if (hooks.authorize && !(await hooks.authorize(subscriber)))
      throw createError('Forbidden', `You may not receive the events ${name} with these arguments`)
  }
  return {
    read,
    parse,
    authorize,
    async select(params, call, mode) {
      const { name, args } = read(params)
      const type = types.get(name)
      if (!type || !(await checkAccess(type, call as CallContext)))
        throw createError('NotFound', `Unknown event type: ${name.slice(0, MAX_NAME_LENGTH)}`, { kind: 'event' })
      if (!type.listing.delivery.includes(mode))
        throw createError('Unsupported', `The events ${name} cannot be received by ${mode}`, {
          feature: 'deliveryMode',
          value: mode,
        })
      const { auth } = call
      const subscriber: EventSubscriber = {
        arguments: await parse(type, args),
        ...(auth && { auth, principal: auth.principal }),
      }
      await authorize(type, subscriber)
      return { type, args, subscriber }
    },
  }
}

/** Reads where a request wants events to begin. @throws RpcError */
export function readStart({ cursor = null, maxAgeMs }: JsonObject): Start {
  if (cursor !== null && typeof cursor !== 'string') throw invalidParams('cursor must be a string or null')
  return { cursor, maxAgeMs: readAmount('maxAgeMs', maxAgeMs) }
}

/** Reads a number of the params that is not negative. @throws RpcError */
export function readAmount(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !(value >= 0)) throw invalidParams(`${name} must be a number that is not negative`)
  return value
}
