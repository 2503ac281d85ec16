import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ErrorCode } from '../../../../jsonrpc/errors.ts'
import { closeGracefully } from './graceful-close.ts'

/** An error of Node's parser. */
export type ClientError = Error & { code?: string }

/** Responds to bytes that Node's parser rejects. */
export interface ClientErrors {
  /** Records the latest request of a connection. Returns false if the connection has failed or is closing, and the request must not run. */
  track(request: IncomingMessage, response: ServerResponse): boolean
  /** Reports whether a request of the connection waits for its response. */
  isRunning(socket: Duplex): boolean
  /** Handles an error of the parser: the listener of `clientError`. */
  handle(error: ClientError, socket: Duplex): void
}

/** Creates the state that the connections of one server share. */
export function createClientErrors(): ClientErrors {
  const latest = new WeakMap<Duplex, Latest>()
  const failed = new WeakSet<Duplex>()
  const isRunning = (socket: Duplex): boolean => latest.get(socket)?.response.destroyed === false
  return {
    isRunning,
    track(request, response) {
      if (failed.has(request.socket) || !request.socket.writable) return false
      latest.set(request.socket, { request, response })
      return true
    },
    handle(error, socket) {
      const pending = latest.get(socket)
      if (pending && isRunning(socket) && !isBroken(pending) && hasLeft(error, socket)) return void socket.destroy()
      if (failed.has(socket)) return
      failed.add(socket)
      if (pending && isRunning(socket)) sendAfter(pending, () => sendClientError(error, socket))
      else sendClientError(error, socket)
    },
  }
}

interface Latest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

function hasLeft({ code }: ClientError, socket: Duplex): boolean {
  return code === 'ECONNRESET' || socket.readableEnded
}

/** Reports whether the error concerns the latest request itself, and no response before it is pending. */
function isBroken({ request, response }: Latest): boolean {
  return !request.complete && !response.headersSent && response.socket !== null
}

/** Sends an error when all responses before it were sent. It replaces the response to the latest request if that request is broken itself. */
function sendAfter(pending: Latest, send: () => void): void {
  const { request, response } = pending
  if (isBroken(pending)) send()
  else response.once(request.complete || response.headersSent ? 'close' : 'socket', send)
}

const STATUSES: { readonly [code: string]: readonly [status: string, message: string] } = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
}

/** Sends an error and closes the connection, because nothing that follows on it can be trusted. */
export function sendClientError(error: ClientError, socket: Duplex): void {
  if (error.code === 'ECONNRESET') return void socket.destroy()
  const [status, message] = STATUSES[error.code ?? ''] ?? ['400 Bad Request', 'The request is not HTTP/1.1']
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: ErrorCode.invalidRequest, message } })
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  if (socket.writable) socket.write(head + body)
  closeGracefully(socket)
}
