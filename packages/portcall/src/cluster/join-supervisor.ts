import type { Server } from 'node:http'
import { Socket } from 'node:net'
import process from 'node:process'
import { isClusterMessage, type WorkerMessage } from './messages.ts'

export interface WorkerCallbacks {
  readonly onStopReadiness: () => void
  /** Closes the server; the worker exits afterwards. */
  readonly onClose: () => Promise<void>
}

/** The connection of a worker to its supervisor. */
export interface SupervisorLink {
  /** Tells the supervisor that this worker accepts no more connections. */
  announceClosing(): void
  /** Ends the connection. The worker then runs for as long as its program has something to do. */
  leave(): void
}

/** Serves the connections that the supervisor passes to this process, without listening. */
export function joinSupervisor(server: Server, { onStopReadiness, onClose }: WorkerCallbacks): SupervisorLink {
  const tell = (message: WorkerMessage): void => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
  const handlers = { 'stop-readiness': onStopReadiness, close: () => void onClose() }
  process.on('message', (message, handle) => {
    if (!isClusterMessage(message)) return
    if (message.portcall === 'connection') {
      tell({ portcall: 'accepted', id: message.id })
      // Absent if the client has closed the connection.
      if (handle instanceof Socket) server.emit('connection', handle)
    } else if (message.portcall === 'stop-readiness' || message.portcall === 'close') handlers[message.portcall]()
  })
  // If the supervisor was killed, nothing else ends this process.
  process.once('disconnect', () => void onClose())
  // Node starts to enforce the timeouts of requests with this event.
  server.emit('listening')
  if (process.connected) tell({ portcall: 'ready' })
  else void onClose()
  return {
    announceClosing: () => tell({ portcall: 'closing' }),
    leave() {
      if (process.connected) process.disconnect()
    },
  }
}
