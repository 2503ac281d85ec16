import type { Awaitable } from '../../../../util/src/awaitable.ts'
import type { Auth } from '../../jsonrpc/exchange.ts'
import type { EventDeliveryMode } from '../../protocol/events.ts'
import type { Meta } from '../../protocol/types.ts'
import type { Infer, InferInput, NoRawShape, Schema } from '../../schema/standard.ts'
import type { BaseDefinition } from '../../server/definitions.ts'

/** The definition of an event type. */
export interface EventDefinition<I extends Schema | undefined, P extends Schema>
  extends Pick<BaseDefinition, 'visible' | 'scopes' | 'onInsufficientScope'> {
  /** The meaning of the event, for models and users. */
  description: string
  /** Schema of the arguments of a subscription, an object. Without it, a subscription takes no arguments. */
  input?: I & NoRawShape<I>
  /** Schema of the data of an event, an object. Keep events small: name what has changed, and let clients read it with tools. */
  payload: P & NoRawShape<P>
  /** The ways in which clients receive the events. Default: all that the server offers. */
  delivery?: readonly EventDeliveryMode[]
  /** False if clients cannot continue where they stopped. Such events cannot be polled. Default: true. */
  replay?: boolean
  /** How long an event can be replayed, in milliseconds. The log keeps at most what its own options say. Default: as long as the log keeps it. */
  retentionMs?: number
  /** The version of the schemas. Raise it after an incompatible change: earlier cursors and subscriptions end. Default: 1. */
  version?: number
  /** Metadata for clients, by key. */
  _meta?: Meta
}

/** The arguments of a subscription after validation. */
export type EventArguments<I> = I extends Schema ? Infer<I> : Record<string, never>

/** A receiver of events: a poll, a stream or a subscription. */
export interface EventSubscriber<A = unknown> {
  /** The arguments, as the schema returned them. */
  readonly arguments: A
  /** The principal of the caller. Absent without authentication. */
  readonly principal?: string | undefined
  /** The authorization of the caller. For a webhook, that of its last subscribe request. */
  readonly auth?: Auth | undefined
}

/** An event that was emitted. */
export interface EmittedEvent<D = unknown> {
  /** Identifies the event. */
  readonly eventId: string
  /** When it happened. */
  readonly timestamp: Date
  /** The content of the event. */
  readonly data: D
}

/** Decides who receives an event, and in which form. */
export interface EventHooks<A, D> {
  /** Returns whether a subscriber receives an event. Default: every subscriber receives every event. */
  readonly match?: (event: EmittedEvent<D>, subscriber: EventSubscriber<A>) => Awaitable<boolean>
  /** Returns the data for one subscriber. Default: the data of the event. */
  readonly transform?: (event: EmittedEvent<D>, subscriber: EventSubscriber<A>) => Awaitable<object>
  /**
   * Returns whether a subscriber may receive events with these arguments. It is asked when a subscription begins, and again before each event.
   * Once it returns false, the subscription ends.
   */
  readonly authorize?: (subscriber: EventSubscriber<A>) => Awaitable<boolean>
}

/** Options of `emit`. */
export interface EmitOptions {
  /** The id of the event. Pass the one of the source, if it has one: receivers drop repetitions. Default: a random id. */
  readonly eventId?: string
  /** The only principal that may receive the event. Default: all. */
  readonly principal?: string
  /** When it happened. Default: now. */
  readonly timestamp?: Date
  /** Metadata for clients, by key. */
  readonly meta?: Meta
}

/** An event type of a server. */
export interface EventSource<P extends Schema = Schema> {
  /** The name of the event type. */
  readonly name: string
  /**
   * Emits an event. Resolves to its id when the store has it: from then on, subscribers of all processes receive it.
   *
   * @throws InvalidOutputError if the data does not match the schema; RangeError if the event is too large.
   */
  emit(data: InferInput<P>, options?: EmitOptions): Promise<string>
  /** Removes the event type. Its subscriptions end. */
  remove(): void
}
