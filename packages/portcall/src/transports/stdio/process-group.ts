import type { ChildProcess } from 'node:child_process'
import { delay } from '../../util/timers.ts'

/** How long a process may take to exit, in milliseconds. */
export interface TerminationTimeouts {
  /** After its stdin has ended. */
  readonly shutdownTimeoutMs: number
  /** After SIGTERM. */
  readonly killTimeoutMs: number
}

/** A child process and its descendants, except those that have left its process group. */
export interface ProcessGroup {
  /** Terminates all processes: waits, sends SIGTERM, waits, sends SIGKILL. Resolves when all have exited. */
  terminate(timeouts: TerminationTimeouts): Promise<void>
}

const POLL_INTERVAL_MS = 10
const KILL_WAIT_MS = 1000
const EXIT_WAIT_MS = 100
const hasGroups = process.platform !== 'win32'

/** The option of `spawn` that creates a process group for the child. */
export const OWN_GROUP: { readonly detached: boolean } = { detached: hasGroups }

/**
 * Creates the handle of the process group of a child that was started with `OWN_GROUP`. When this process exits, it terminates the group; when
 * it is killed, only the stdin of the members ends. On platforms without process groups, only the child itself is terminated.
 */
export function createProcessGroup(child: ChildProcess): ProcessGroup {
  const exited =
    child.pid === undefined ? Promise.resolve() : new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  const group: RunningGroup = { signal: (signal) => signalAll(child, signal) }
  let terminating: Promise<void> | undefined
  let hasExited = child.pid === undefined
  if (!hasExited) register(group)
  void exited.then(() => {
    hasExited = true
  })

  /** Waits for the child itself. */
  const childExited = async (ms: number): Promise<boolean> => {
    const stop = new AbortController()
    await Promise.race([exited, delay(ms, stop.signal).catch(() => {})])
    stop.abort()
    return hasExited
  }
  /** Waits for the child and for its descendants. */
  const groupExited = async (ms: number): Promise<boolean> => {
    const deadline = performance.now() + ms
    if (!(await childExited(ms))) return false
    for (; isAlive(child); await delay(POLL_INTERVAL_MS)) if (performance.now() >= deadline) return false
    return true
  }
  const terminate = async ({ shutdownTimeoutMs, killTimeoutMs }: TerminationTimeouts): Promise<void> => {
    if (!(await groupExited(shutdownTimeoutMs))) group.signal('SIGTERM')
    if (!(await groupExited(killTimeoutMs))) group.signal('SIGKILL')
    await childExited(KILL_WAIT_MS)
    unregister(group)
  }
  return { terminate: (timeouts) => (terminating ??= terminate(timeouts)) }
}

function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    if (hasGroups) process.kill(-pid, signal)
    else child.kill(signal)
  } catch {
    // It has already exited.
  }
}

/** Reports whether descendants are running after the child itself has exited. */
function isAlive({ pid }: ChildProcess): boolean {
  if (!hasGroups || pid === undefined) return false
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

interface RunningGroup {
  signal(signal: NodeJS.Signals): void
}

const running = new Set<RunningGroup>()

function register(group: RunningGroup): void {
  if (running.size === 0) process.on('exit', terminateAll)
  running.add(group)
}

function unregister(group: RunningGroup): void {
  running.delete(group)
  if (running.size === 0) process.off('exit', terminateAll)
}

/** Terminates all groups when this process exits. It cannot wait for events any more, so it blocks for a moment. */
function terminateAll(): void {
  for (const group of running) group.signal('SIGTERM')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_WAIT_MS)
  for (const group of running) group.signal('SIGKILL')
}
