import type { Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { letGo } from './pipelining.ts'

/** How long a client may take to read the last response and to close its side of the connection. */
export const LINGER_MS = 5000
/** How much of what a client still sends is discarded before its connection is closed all the same. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024

/** Discards what arrives, and calls `onTooMuch` when that is more than `MAX_DISCARDED_BYTES`. */
export function discardInput(input: Readable, onTooMuch: () => void): void {
  let bytes = 0
  input.on('data', ({ length }: Buffer) => {
    bytes += length
    if (bytes > MAX_DISCARDED_BYTES) onTooMuch()
  })
}

/**
 * Closes a connection after all output has been sent. What the client still sends is discarded until it closes its side, too, but no longer
 * than `LINGER_MS` and no more than `MAX_DISCARDED_BYTES`: a connection that is closed with unread input is reset, and the client might lose
 * responses (RFC 9112, section 9.6).
 */
export function closeGracefully(socket: Duplex): void {
  if (!socket.writable) return
  socket.end(() => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    timer.unref()
    socket.once('close', () => clearTimeout(timer))
  })
  discardInput(socket, () => socket.destroy())
  letGo(socket)
}

/** Does the same for a connection of Node's server, whose parser reads again only after the output has drained. */
export function closeParsed(socket: Socket): void {
  if (socket.writableNeedDrain) socket.once('drain', () => closeGracefully(socket))
  else closeGracefully(socket)
}
