import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { delay } from '../../../../util/src/timers.ts'
import { orphanGuard } from './orphan-guard.ts'

/** How long a process may take to exit, in milliseconds. */
export interface TerminationTimeouts {
  /** After its stdin has ended. */
  readonly shutdownTimeoutMs: number
  /** After SIGTERM. */
  readonly killTimeoutMs: number
}

/** A child process and its descendants, except those that have left its process group. On Windows, also those whose parent has exited are left out. */
export interface ProcessGroup {
  /**
   * Terminates all processes: waits, sends SIGTERM, waits, sends SIGKILL. Windows has no signals, so what SIGTERM would ask to exit is
   * terminated at once. Resolves when all have exited.
   */
  terminate(timeouts: TerminationTimeouts): Promise<void>
}

/** Options of a process group. */
export interface ProcessGroupOptions {
  readonly platform?: NodeJS.Platform | undefined
  /** Terminates the group also when this process is killed. Default: false. */
  readonly isGuarded?: boolean | undefined
}

const POLL_INTERVAL_MS = 10
const KILL_WAIT_MS = 1000
const EXIT_WAIT_MS = 100

const hasGroups = (platform: NodeJS.Platform): boolean => platform !== 'win32'

/** The option of `spawn` that creates a process group for the child. */
export const ownGroup = (platform: NodeJS.Platform): { readonly detached: boolean } => ({ detached: hasGroups(platform) })

/**
 * Creates the handle of the process group of a child that was started with `ownGroup`. When this process exits, it terminates the group. When
 * it is killed, the stdin of the members ends, and with `isGuarded` a shell terminates them.
 */
export function createProcessGroup(
  child: ChildProcess,
  { platform = process.platform, isGuarded = false }: ProcessGroupOptions = {},
): ProcessGroup {
  const exited =
    child.pid === undefined ? Promise.resolve() : new Promise<void>((resolve) => void child.once('exit', () => resolve()))
  const group = hasGroups(platform) ? signalGroup(child) : terminateTree(child)
  let terminating: Promise<void> | undefined
  let hasExited = child.pid === undefined
  if (!hasExited) register(group)
  const guarded = isGuarded ? child.pid : undefined
  if (guarded !== undefined) orphanGuard().add(guarded)
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
    for (; group.isAlive(); await delay(POLL_INTERVAL_MS)) if (performance.now() >= deadline) return false
    return true
  }
  const terminate = async ({ shutdownTimeoutMs, killTimeoutMs }: TerminationTimeouts): Promise<void> => {
    if (!(await groupExited(shutdownTimeoutMs))) group.signal('SIGTERM')
    if (!(await groupExited(killTimeoutMs))) group.signal('SIGKILL')
    await childExited(KILL_WAIT_MS)
    unregister(group)
    if (guarded !== undefined) orphanGuard().remove(guarded)
  }
  return { terminate: (timeouts) => (terminating ??= terminate(timeouts)) }
}

/** The processes of a group, and how to end them. */
interface RunningGroup {
  signal(signal: 'SIGTERM' | 'SIGKILL', isExiting?: boolean): void
  /** Reports whether descendants are running after the child itself has exited, as far as the platform can tell. */
  isAlive(): boolean
}

/** Signals the members of a process group. */
function signalGroup({ pid = 0 }: ChildProcess): RunningGroup {
  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return pid !== 0 && process.kill(-pid, signal)
    } catch {
      // All have exited already.
      return false
    }
  }
  return { signal: send, isAlive: () => send(0) }
}

/** Terminates a process with its descendants on Windows, where a script is a `cmd.exe` that runs the actual program. */
function terminateTree(child: ChildProcess): RunningGroup {
  const args = ['/pid', String(child.pid), '/t', '/f']
  const options = { stdio: 'ignore', windowsHide: true } as const
  return {
    signal(_signal, isExiting = false) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      if (isExiting) spawnSync('taskkill', args, options)
      else spawn('taskkill', args, options).on('error', () => child.kill('SIGKILL'))
    },
    isAlive: () => false,
  }
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
  for (const group of running) group.signal('SIGTERM', true)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_WAIT_MS)
  for (const group of running) group.signal('SIGKILL', true)
}
