import type { JsonObject, Notification } from '../jsonrpc/message.ts'
import { METHODS, type Method } from '../protocol/methods.ts'
import type { SubscriptionFilter } from '../protocol/types.ts'
import type { Finishers } from './finish.ts'
import type { Answer } from './input.ts'
import type { List, ListOf } from './lists.ts'
import type { CallOptions, ClientEvent, RawOptions } from './options.ts'
import type { Subscription } from './subscribe.ts'

/** The tables that extensions write in. */
export interface ClientTables {
  /** Their ids. */
  readonly ids: Set<string>
  readonly methods: Map<string, Method>
  /** What brings results of other types to their end, by method and type. */
  readonly finishers: Finishers
  /** Called when the client closes. */
  readonly closing: (() => void)[]
}

/** Where a client is open to extensions: their tables, and what they share with it. */
export interface ClientSeams extends ClientTables {
  readonly answer: Answer
  readonly onEvent: (event: ClientEvent) => void
  request(method: string, params?: JsonObject, options?: RawOptions): Promise<JsonObject>
  list<T>(of: ListOf<T>, options?: CallOptions): List<T>
  listen(filter: SubscriptionFilter, onNotification: (notification: Notification) => void): Subscription
}

export function createTables(): ClientTables {
  return { ids: new Set(), methods: new Map(METHODS), finishers: new Map(), closing: [] }
}
