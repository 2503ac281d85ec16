import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import process from 'node:process'
import { isClusterMessage, type SupervisorMessage } from './messages.ts'
import { createPendingReplies } from './pending-replies.ts'
import { WORKER_VARIABLE, type WorkerSettings } from './worker-settings.ts'

/** How a worker has ended. */
export interface WorkerExit {
  readonly worker: WorkerProcess
  /** The exit code or the signal. */
  readonly reason: number | string
  /** The connections that the worker has not accepted. Nothing has been read from them. */
  readonly unaccepted: readonly Socket[]
}

export interface WorkerProcessOptions {
  readonly settings: WorkerSettings
  readonly onReady: () => void
  /** The worker closes its server by itself and accepts no more connections. */
  readonly onClosing: () => void
  readonly onExit: (exit: WorkerExit) => void
  /** The worker needs the metrics of all workers. */
  readonly onCollect: (reply: (snapshots: readonly unknown[]) => void) => void
}

/** A child process that runs the program of its supervisor. */
export interface WorkerProcess {
  readonly pid: number | undefined
  /** The number of connections that were passed to the worker and are not yet accepted. */
  readonly backlog: number
  /** Passes a connection to the worker. */
  accept(socket: Socket): void
  /** Resolves to the metrics of the worker, or to `undefined` if it does not respond. */
  takeSnapshot(): Promise<unknown>
  /** Makes the health checks of the worker report that it is not ready. */
  stopReadiness(): void
  /** Asks the worker to finish its calls and exit. */
  close(): void
  kill(): void
}

/** How long a worker may take to report its metrics. One that is busy is left out: its latest ones are used. */
const SNAPSHOT_TIMEOUT_MS = 1000
/** A debugger of the supervisor has the port that a worker would open. */
const INSPECTOR_OPTION = /^--inspect/

/** Starts a worker: the program of this process, with the same arguments. @throws Error if the program is not in a file. */
export function startWorker({ settings, onReady, onClosing, onExit, onCollect }: WorkerProcessOptions): WorkerProcess {
  const [, program, ...args] = process.argv
  if (!program) throw new Error('workers require a program in a file, not --eval or stdin: each worker runs it again')
  const child = fork(program, args, {
    execArgv: process.execArgv.filter((option) => !INSPECTOR_OPTION.test(option)),
    env: { ...process.env, [WORKER_VARIABLE]: JSON.stringify(settings) },
  })
  const handover = createHandover(child)
  const snapshots = createPendingReplies<unknown>(SNAPSHOT_TIMEOUT_MS)
  const worker: WorkerProcess = {
    pid: child.pid,
    get backlog() {
      return handover.size
    },
    accept: handover.send,
    takeSnapshot: () => snapshots.request((id) => send(child, { portcall: 'take-snapshot', id })),
    stopReadiness: () => send(child, { portcall: 'stop-readiness' }),
    close: () => send(child, { portcall: 'close' }),
    kill: () => void child.kill('SIGKILL'),
  }
  let reason: number | string | undefined
  child.on('message', (message) => {
    if (!isClusterMessage(message)) return
    if (message.portcall === 'ready') onReady()
    else if (message.portcall === 'accepted') handover.accepted(message.id)
    else if (message.portcall === 'closing') onClosing()
    else if (message.portcall === 'snapshot') snapshots.settle(message.id, message.snapshot)
    else if (message.portcall === 'collect-snapshots')
      onCollect((all) => send(child, { portcall: 'all-snapshots', id: message.id, snapshots: all }))
  })
  child.once('exit', (code, signal) => (reason = signal ?? code ?? undefined))
  child.once('error', (error) => (reason ??= error.message))
  // Emitted after the last message has been read.
  child.once('close', () => onExit({ worker, reason: reason ?? 'unknown', unaccepted: handover.takeAll() }))
  return worker
}

function send(child: ChildProcess, message: SupervisorMessage): void {
  if (child.connected) child.send(message, () => {})
}

/** The connections on the way to one worker. They stay open here until the worker has accepted them. */
interface Handover {
  readonly size: number
  send(socket: Socket): void
  accepted(id: number): void
  takeAll(): Socket[]
}

function createHandover(child: ChildProcess): Handover {
  const sockets = new Map<number, Socket>()
  let lastId = 0
  return {
    get size() {
      return sockets.size
    },
    send(socket) {
      const id = ++lastId
      sockets.set(id, socket)
      const message: SupervisorMessage = { portcall: 'connection', id }
      // After an error the channel is closed, and so the process ends.
      child.send(message, socket, { keepOpen: true }, () => {})
    },
    accepted(id) {
      // The worker has a descriptor of its own, so this does not close the connection.
      sockets.get(id)?.destroy()
      sockets.delete(id)
    },
    takeAll() {
      const taken = [...sockets.values()]
      sockets.clear()
      return taken
    },
  }
}
