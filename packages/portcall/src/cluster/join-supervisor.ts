import type { Server } from 'node:http'
import { Socket } from 'node:net'
import process from 'node:process'
import { isClusterMessage, type WorkerMessage } from './messages.ts'
import { createPendingReplies } from './pending-replies.ts'

export interface WorkerCallbacks {
  readonly onStopReadiness: () => void
  /** Resolves to the metrics of this worker. */
  readonly takeSnapshot: () => Promise<unknown>
  /** Closes the server; the worker exits afterwards. */
  readonly onClose: () => Promise<void>
}

/** The connection of a worker to its supervisor. */
export interface SupervisorLink {
  /** Resolves to the metrics of all workers, or to `undefined` if the supervisor does not respond. */
  collectSnapshots(): Promise<readonly unknown[] | undefined>
  /** Tells the supervisor that this worker accepts no more connections. */
  announceClosing(): void
  /** Ends the connection. The worker then runs for as long as its program has something to do. */
  leave(): void
}

/** Longer than the supervisor waits for the workers. */
const COLLECT_TIMEOUT_MS = 2000

/** Serves the connections that the supervisor passes to this process, without listening. */
export function joinSupervisor(server: Server, { onStopReadiness, takeSnapshot, onClose }: WorkerCallbacks): SupervisorLink {
  const tell = (message: WorkerMessage): void => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {})
  }
  const collections = createPendingReplies<readonly unknown[]>(COLLECT_TIMEOUT_MS)
  const sendSnapshot = async (id: number): Promise<void> =>
    tell({ portcall: 'snapshot', id, snapshot: await takeSnapshot().catch(() => undefined) })
  const handlers = { 'stop-readiness': onStopReadiness, close: () => void onClose() }
  process.on('message', (message, handle) => {
    if (!isClusterMessage(message)) return
    if (message.portcall === 'connection') {
      tell({ portcall: 'accepted', id: message.id })
      // Absent if the client has closed the connection.
      if (handle instanceof Socket) server.emit('connection', handle)
    } else if (message.portcall === 'take-snapshot') void sendSnapshot(message.id)
    else if (message.portcall === 'all-snapshots') collections.settle(message.id, message.snapshots)
    else if (message.portcall === 'stop-readiness' || message.portcall === 'close') handlers[message.portcall]()
  })
  // If the supervisor was killed, nothing else ends this process.
  process.once('disconnect', () => void onClose())
  // Node starts to enforce the timeouts of requests with this event.
  server.emit('listening')
  if (process.connected) tell({ portcall: 'ready' })
  else void onClose()
  return {
    collectSnapshots: () => collections.request((id) => tell({ portcall: 'collect-snapshots', id })),
    announceClosing: () => tell({ portcall: 'closing' }),
    leave() {
      if (process.connected) process.disconnect()
    },
  }
}
