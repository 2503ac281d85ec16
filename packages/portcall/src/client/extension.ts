import type { JsonObject, Notification } from '../jsonrpc/message.ts'
import type { ExtensionHead } from '../protocol/extensions.ts'
import type { Method } from '../protocol/methods.ts'
import type { SubscriptionFilter } from '../protocol/types.ts'
import type { Finish } from './finish.ts'
import type { Answer } from './input.ts'
import type { List, ListOf } from './lists.ts'
import type { CallOptions, RawOptions } from './options.ts'
import type { ClientSeams } from './seams.ts'
import type { Subscription } from './subscribe.ts'
import type { Client } from './surface.ts'

/** A part of the protocol that a client speaks beyond the core; `extension` makes one. https://modelcontextprotocol.io/extensions */
export interface ClientExtension<Name extends string = string, Api = unknown> extends ExtensionHead {
  readonly name?: Name
  /** Lets it into a client that is being made. @throws TypeError when they cannot live together. */
  join(client: Client, seams: ClientSeams): Api
}

/** An extension as its author writes it. It is declared in every request. */
export interface ClientGuest<Name extends string, Api> extends ExtensionHead {
  /** What its member of the client is called: `client[name]`. */
  readonly name?: Name
  /** Called once for each client, before anything is sent: says what it knows, and gives the member of the client. */
  connect(host: ClientHost): Api
}

/** What a client gives to an extension. */
export interface ClientHost {
  readonly client: Client
  /** Says what is known of a method, so that transports and caches treat it as they should. @throws TypeError when it is taken. */
  method(name: string, about: ClientMethod): void
  /** Makes a result of the usual type out of one of another `resultType`; one that nobody finishes is an `InvalidResult`. */
  result(method: string, resultType: string, finish: Finish): void
  /** Sends a request; results that may be kept come out of the cache. */
  request(method: string, params?: JsonObject, options?: RawOptions): Promise<JsonObject>
  /** A list, whose pages are fetched as they are needed. */
  list<T>(of: ListOf<T>, options?: CallOptions): List<T>
  /** What the server declares of this extension; nothing when it does not. */
  declared(): Promise<JsonObject | undefined>
  /** The same. @throws ExtensionMissing when it does not. */
  demand(): Promise<JsonObject>
  /**
   * Listens, again whenever the connection was lost. What is no change of the core goes to `onNotification`, and each acknowledgement: from the
   * second on, something may have been missed.
   */
  listen(filter: SubscriptionFilter, onNotification: (notification: Notification) => void): Subscription
  /** Answers what a server asks, as this client answers everything; deadlines stand still meanwhile. */
  readonly answer: Answer
  /** Calls back when the client is closed. */
  onClose(listener: () => void): void
  /** Tells the host application of something that it should know. */
  warn(message: string): void
}

/** What is said of a method of an extension. */
export type ClientMethod = Pick<Method, 'nameParam' | 'cacheable' | 'longLived'>
