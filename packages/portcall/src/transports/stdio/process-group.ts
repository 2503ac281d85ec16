import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'

/** How long a process may take to end, in milliseconds. */
export interface Patience {
  /** By itself, after its stdin has ended. */
  readonly endMs: number
  /** After SIGTERM. */
  readonly terminateMs: number
}

/** A child with all its descendants, as far as they have not left its process group. */
export interface ProcessGroup {
  /** Ends all of them: waits, then SIGTERM, then SIGKILL. Resolves when nothing is left. */
  end(patience: Patience): Promise<void>
}

const POLL_MS = 10
const KILL_MS = 1000
const HOST_EXIT_MS = 100
const hasGroups = process.platform !== 'win32'

/** The option of `spawn` that gives a child a group of its own. */
export const OWN_GROUP: { readonly detached: boolean } = { detached: hasGroups }

/**
 * Looks after the group of a child that was started with `OWN_GROUP`. When this process exits, the group ends with it; when this process is
 * killed, its members see the end of their stdin. Where there are no groups, only the child itself is ended.
 */
export function createProcessGroup(child: ChildProcess): ProcessGroup {
  const exited =
    child.pid === undefined ? Promise.resolve() : new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  const group: Living = { signal: (signal) => signalAll(child, signal) }
  let ending: Promise<void> | undefined
  let isGone = child.pid === undefined
  if (!isGone) enter(group)
  void exited.then(() => {
    isGone = true
  })

  /** Waits for the child itself, then for those that it has left behind. */
  const childGone = async (ms: number): Promise<boolean> => {
    const stop = new AbortController()
    await Promise.race([exited, wait(ms, undefined, { signal: stop.signal }).catch(() => {})])
    stop.abort()
    return isGone
  }
  const allGone = async (ms: number): Promise<boolean> => {
    const until = performance.now() + ms
    if (!(await childGone(ms))) return false
    for (; isAlive(child); await wait(POLL_MS)) if (performance.now() >= until) return false
    return true
  }
  const end = async ({ endMs, terminateMs }: Patience): Promise<void> => {
    if (!(await allGone(endMs))) group.signal('SIGTERM')
    if (!(await allGone(terminateMs))) group.signal('SIGKILL')
    await childGone(KILL_MS)
    leave(group)
  }
  return { end: (patience) => (ending ??= end(patience)) }
}

function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    if (hasGroups) process.kill(-pid, signal)
    else child.kill(signal)
  } catch {
    // It is gone already.
  }
}

/** Whether somebody is left in the group after the child itself has ended. */
function isAlive({ pid }: ChildProcess): boolean {
  if (!hasGroups || pid === undefined) return false
  try {
    return process.kill(-pid, 0)
  } catch {
    return false
  }
}

interface Living {
  signal(signal: NodeJS.Signals): void
}

const living = new Set<Living>()

function enter(group: Living): void {
  if (living.size === 0) process.on('exit', endAll)
  living.add(group)
}

function leave(group: Living): void {
  living.delete(group)
  if (living.size === 0) process.off('exit', endAll)
}

/** An exiting process cannot wait for events any more, so it waits for time. */
function endAll(): void {
  for (const group of living) group.signal('SIGTERM')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HOST_EXIT_MS)
  for (const group of living) group.signal('SIGKILL')
}
