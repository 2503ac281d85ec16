import type { JsonObject, Message, RequestId } from 'portcall/jsonrpc'

/** Told about each message that comes from the server; `about` is the request on whose stream it came, where there are such streams. */
export type Receive = (message: JsonObject, about?: RequestId) => void

/** What a carrier told when it was done with a message; pipes have nothing to tell. */
export interface Sent {
  status: number
  headers: Headers
}

export interface SendOptions {
  headers?: Record<string, string> | undefined
  /** Aborting it drops the carrier of this message, where each message has its own. */
  signal?: AbortSignal | undefined
}

/** Carries raw messages to one server and back. */
export interface Wire {
  /** Sends a message, or a batch; over HTTP it resolves when all that came back with it was received. */
  send(message: Message | Message[], options?: SendOptions): Promise<Sent | undefined>
  /** Opens the stream on which the server speaks of its own accord, where that is a stream of its own. */
  listen?(headers: Record<string, string>): Promise<void>
  /** Ends the connection, and the server if it belongs to it. */
  close(): Promise<void>
}
