import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Channel } from '../../jsonrpc/channel.ts'
import { ConnectionLost, type ProcessExit } from '../../jsonrpc/errors.ts'
import { environmentFor } from './environment.ts'
import { pipeChannel } from './process.ts'
import { createProcessGroup, OWN_GROUP } from './process-group.ts'
import { type Attempt, explainFailure } from './spawn-failure.ts'

export interface SpawnOptions {
  /** A program: its path, or its name in `PATH`. No shell reads it. */
  readonly command: string
  readonly args?: readonly string[]
  /** Added to a small safe part of the own environment (`PATH`, `HOME` and the like); `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string | URL
  /** Hears what the program writes to stderr. It is never a sign of an error. */
  readonly onStderr?: (text: string) => void
  /** The longest message that is read. Default: 16 MiB. */
  readonly maxMessageBytes?: number
  /** Deeper nested values are not read. Default: 128. */
  readonly maxDepth?: number
  /** How long the program may take to end after its stdin has ended, in milliseconds, before SIGTERM. Default: 500. */
  readonly endMs?: number
  /** How long it may take after SIGTERM, before SIGKILL. Default: 1500. */
  readonly terminateMs?: number
}

/** The channel to a process that this one has started. */
export interface SpawnedChannel extends Channel {
  readonly pid: number | undefined
  /** How the process has ended; it never rejects. */
  readonly exited: Promise<ProcessExit>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
const EAGER_BYTES = 2048
const EXCERPT_BYTES = 1000
const STDERR_CHARS = 4096
const END_MS = 500
const TERMINATE_MS = 1500
const SETTLE_MS = 300

/**
 * Starts a program and makes the channel to it. When the program ends, or closes stdin or stdout, the channel ends with a
 * `ConnectionLost` that says how, or with a `SpawnError` when there was no start at all. However it ends, nothing is left of the program
 * and its descendants: they are one process group. Only when this process is killed it cannot see to that; then they see the end of
 * their stdin.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 *
 * @throws SpawnError when the system refuses at once.
 */
export function spawnChannel(options: SpawnOptions): SpawnedChannel {
  const { child, attempt } = start(options)
  const { endMs = END_MS, terminateMs = TERMINATE_MS } = options
  const group = createProcessGroup(child)
  const watch = watchChild(child, attempt, options)
  const pipe = pipeChannel({
    readable: child.stdout,
    writable: child.stdin,
    readToEnd: true,
    eagerBytes: EAGER_BYTES,
    excerptBytes: EXCERPT_BYTES,
    maxLineBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    flushMs: endMs,
    ...(options.maxDepth !== undefined && { maxDepth: options.maxDepth }),
  })
  let ending: Promise<void> | undefined
  let closedHere = false

  const end = async (): Promise<void> => {
    await pipe.close()
    await group.end({ endMs, terminateMs })
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    await watch.quiet()
  }
  void watch.unreachable.then(() => (ending ??= end()))
  return {
    pid: child.pid,
    exited: watch.exited,
    send: (message) => pipe.send(message),
    receive(onReceived, onClose) {
      pipe.receive(onReceived, () => {
        if (closedHere) onClose()
        else void watch.reason().then(onClose)
      })
    },
    close() {
      closedHere = true
      return (ending ??= end())
    },
  }
}

function start({ command, args = [], env, cwd }: SpawnOptions): { child: Child; attempt: Attempt } {
  const attempt = { command, cwd: cwd instanceof URL ? fileURLToPath(cwd) : cwd, env: environmentFor(env) }
  try {
    const child = spawn(command, args, {
      ...OWN_GROUP,
      cwd: attempt.cwd,
      env: attempt.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    return { child, attempt }
  } catch (cause) {
    throw explainFailure(attempt, cause)
  }
}

/** What becomes of a child. */
interface ChildWatch {
  readonly exited: Promise<ProcessExit>
  /** Resolves when the child can be talked to no longer, and had time to say its last. */
  readonly unreachable: Promise<void>
  /** Resolves when child and pipes are gone, or did not come to an end together. */
  quiet(): Promise<void>
  /** Says why the channel ends, as soon as that is known. */
  reason(): Promise<Error>
}

function watchChild(child: Child, attempt: Attempt, { args = [], onStderr }: SpawnOptions): ChildWatch {
  const name = [attempt.command, ...args.slice(0, 2)].join(' ')
  let stderr = ''
  let failed: Error | undefined
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARS)
    onStderr?.(text)
  })
  child.stderr.on('error', () => {})

  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()))
  /** A child ends in any order: its pipes may be held by others, its exit may come late. */
  const quiet = async (): Promise<void> => {
    if (failed) return
    const { promise, stop } = delay(SETTLE_MS)
    await Promise.race([closed, promise])
    stop()
  }
  const exitOf = (): ProcessExit => ({ code: child.pid === undefined ? null : child.exitCode, signal: child.signalCode, stderr })
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', () => void quiet().then(() => resolve(exitOf())))
    child.once('error', (cause) => {
      failed = explainFailure(attempt, cause)
      if (child.pid === undefined) resolve(exitOf())
    })
  })
  const unreachable = new Promise<unknown>((resolve) => {
    child.stdin.once('close', resolve)
    child.stdout.once('close', resolve)
    void exited.then(resolve)
  })
  return {
    exited,
    quiet,
    unreachable: unreachable.then(quiet),
    async reason() {
      await quiet()
      return failed ?? new ConnectionLost(describe(name, exitOf()), { exit: exitOf() })
    },
  }
}

function describe(name: string, { code, signal, stderr }: ProcessExit): string {
  const end = signal
    ? `was ended by ${signal}`
    : code === null
      ? 'has closed its stdin or stdout but still runs'
      : `ended with exit code ${code}`
  const words = stderr.trim()
  return `The server "${name}" ${end}${words === '' ? '' : `. Its last words on stderr:\n${words}`}`
}

function delay(ms: number): { promise: Promise<void>; stop: () => void } {
  let stop!: () => void
  const promise = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    stop = () => clearTimeout(timer)
  })
  return { promise, stop }
}
