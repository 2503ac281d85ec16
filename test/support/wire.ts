import type { JsonObject, Message, RequestId } from 'portcall/jsonrpc'

/** Receives each message of the server. `about` is the id of the request on whose stream it arrived, on transports with such streams. */
export type Receive = (message: JsonObject, about?: RequestId) => void

/** The HTTP response to a sent message. */
export interface SendResult {
  status: number
  headers: Headers
}

export interface SendOptions {
  headers?: Record<string, string> | undefined
  /** Closes the HTTP exchange of this message when aborted. */
  signal?: AbortSignal | undefined
}

/** Exchanges raw messages with one server. */
export interface Wire {
  /** Sends a message or a batch. Over HTTP it resolves when the complete response was received. */
  send(message: Message | Message[], options?: SendOptions): Promise<SendResult | undefined>
  /** Opens the stream for messages the server initiates, on transports that have a separate one. */
  listen?(headers: Record<string, string>): Promise<void>
  /** Closes the connection, and the server if the wire owns it. */
  close(): Promise<void>
}
