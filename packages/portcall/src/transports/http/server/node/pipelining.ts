import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { NodeRequest } from './body.ts'

/** Bytes that may wait on a connection for the response to the request before them. */
const MAX_PIPELINED_BYTES = 256 * 1024

/** Requests of `node:http` that may wait on a connection. Each takes several kilobytes. */
const MAX_PIPELINED_REQUESTS = 100

/** How long a connection may be paused behind a running request. */
const PAUSE_TIMEOUT_MS = 5000

/** Reports whether so many bytes wait for a response that the client has to be paused. */
export function isTooMuch(bytes: number): boolean {
  return bytes > MAX_PIPELINED_BYTES
}

/** Functions that end the pause of a connection. */
const held = new WeakMap<Duplex, () => void>()

/**
 * Pauses a connection until `letGo`, even if `node:http` resumes it. The end of a paused connection is not seen, so it is closed if the pause takes
 * long, unless the client is still reading responses.
 */
export function holdBack(socket: Socket): void {
  if (held.has(socket)) return
  const pause = (): void => void socket.pause()
  const timer = setInterval(() => socket.writableLength === 0 && socket.destroy(), PAUSE_TIMEOUT_MS)
  timer.unref()
  const release = (): void => {
    clearInterval(timer)
    held.delete(socket)
    socket.off('resume', pause).off('close', release)
  }
  held.set(socket, release)
  socket.on('resume', pause).on('close', release).pause()
}

/** Reads a connection again. */
export function letGo(socket: Duplex): void {
  held.get(socket)?.()
  socket.resume()
}

/** The requests of a connection that wait for the response to the one before them. */
interface Waiting {
  count: number
  /** The bytes that had been received when the first of them arrived, or when the connection was resumed. */
  bytesBefore: number
  isHeldBack: boolean
}

const connections = new WeakMap<Socket, Waiting>()

/** Reports whether a request of `node:http` waits for the response to the one before it. */
export function isWaiting(response: ServerResponse): boolean {
  return response.socket === null && !response.destroyed
}

/** The turn of a waiting request. */
export interface Turn {
  /** Resolves when the responses to the requests before it were sent. */
  readonly started: Promise<void>
  /** Called when a part of the request arrived. Pauses a client that sends too much. */
  readonly onData: () => void
}

/**
 * Waits for the turn of a request. The caller reads the body meanwhile, because the end of a connection is seen only while the connection is
 * read.
 */
export function waitForTurn({ socket }: NodeRequest, response: ServerResponse): Turn {
  const waiting = connections.get(socket) ?? { count: 0, bytesBefore: socket.bytesRead, isHeldBack: false }
  connections.set(socket, waiting)
  waiting.count++
  const onData = (): void => {
    const isFull = waiting.count > MAX_PIPELINED_REQUESTS || isTooMuch(socket.bytesRead - waiting.bytesBefore)
    if (waiting.isHeldBack || !isFull) return
    waiting.isHeldBack = true
    holdBack(socket)
  }
  onData()
  const started = new Promise<void>((resolve) => {
    response.once('socket', () => {
      if (--waiting.count === 0) connections.delete(socket)
      if (waiting.isHeldBack) letGo(socket)
      waiting.isHeldBack = false
      waiting.bytesBefore = socket.bytesRead
      resolve()
    })
  })
  return { started, onData }
}
