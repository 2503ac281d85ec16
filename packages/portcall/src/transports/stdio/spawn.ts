import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setImmediate } from 'node:timers'
import { fileURLToPath } from 'node:url'
import { delay } from '../../../../util/src/timers.ts'
import type { Channel, ChannelInput } from '../../jsonrpc/channel.ts'
import { ConnectionLostError, describeExit, type ProcessExit } from '../../jsonrpc/errors.ts'
import type { ParseJson } from '../../jsonrpc/message.ts'
import { readResponseId } from '../../jsonrpc/unexpected-message.ts'
import { shortenDeepItems } from '../../protocol/deep-items.ts'
import { environmentFor } from './environment.ts'
import { pipeChannel } from './pipe-channel.ts'
import { createProcessGroup, ownGroup } from './process-group.ts'
import { explainFailure, type SpawnTarget } from './spawn-failure.ts'
import { launchOnWindows } from './windows-script.ts'

export interface SpawnOptions {
  /** The program: its path, or its name in `PATH`. It is started without a shell. */
  readonly command: string
  readonly args?: readonly string[]
  /** Environment variables, in addition to a safe subset of those of this process, such as `PATH` and `HOME`. `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string | URL
  /** Receives the stderr output of the program. Output does not imply an error. */
  readonly onStderr?: (text: string) => void
  /** Receives what the program writes to stdout, before it is parsed. */
  readonly onStdout?: ((chunk: Uint8Array) => void) | undefined
  /** Parses the JSON of a message. Default: `JSON.parse`. */
  readonly parseJson?: ParseJson | undefined
  /** Maximum size of a received message. Default: 24 MiB. */
  readonly maxMessageBytes?: number
  /** Maximum nesting depth of a received message. Default: 128. */
  readonly maxJsonDepth?: number
  /** Time for the program to exit after its stdin has ended, before SIGTERM, in milliseconds. Default: 500. */
  readonly shutdownTimeoutMs?: number
  /** Time for the program to exit after SIGTERM, before SIGKILL, in milliseconds. Default: 1,500. */
  readonly killTimeoutMs?: number
  /** The platform to start the program on. Default: that of this process. */
  readonly platform?: NodeJS.Platform
  /** Terminates the program also when this process is killed. Default: false. */
  readonly terminateWithParent?: boolean
}

/** The channel to a child process. */
export interface SpawnedChannel extends Channel {
  readonly pid: number | undefined
  /** Resolves when the process has exited. Never rejects. */
  readonly exited: Promise<ProcessExit>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** A skill may have a file of 16 MiB, which is longer in Base64. */
const MAX_MESSAGE_BYTES = 24 * 1024 * 1024
const EXCERPT_BYTES = 1000
const MAX_STDERR_CHARS = 4096
const SHUTDOWN_TIMEOUT_MS = 500
const KILL_TIMEOUT_MS = 1500
const ENDLESS = 'was terminated: it wrote more than 512 MiB to stdout without a line break'
/** How long exit and output of a process may be apart. */
const SETTLE_TIMEOUT_MS = 300

/**
 * Starts a program and creates the channel to it. If the program exits or closes its stdin or stdout, the channel closes with a
 * `ConnectionLostError` that describes it; if it could not be started, with a `SpawnError`. In any case, the program and its descendants are
 * terminated: they form a process group. If this process is killed, it cannot terminate them; then their stdin ends, and
 * `terminateWithParent` applies.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 *
 * @throws SpawnError if the system rejects the program at once.
 */
export function spawnChannel(options: SpawnOptions): SpawnedChannel {
  const { child, target } = start(options)
  const { shutdownTimeoutMs = SHUTDOWN_TIMEOUT_MS, killTimeoutMs = KILL_TIMEOUT_MS } = options
  const group = createProcessGroup(child, { platform: options.platform, isGuarded: options.terminateWithParent })
  const watch = watchChild(child, target, options)
  const pipe = pipeChannel({
    readable: child.stdout,
    writable: child.stdin,
    readToEnd: true,
    // A gateway sends what it has read from several clients in one write.
    defer: setImmediate,
    excerptBytes: EXCERPT_BYTES,
    isSufficient: (head) => readResponseId({ unreadable: 'size', head }) !== undefined,
    onEndless() {
      watch.hasEndlessLine = true
      child.stdout.destroy()
    },
    shortenDeep: shortenDeepItems,
    onBytes: options.onStdout,
    parseJson: options.parseJson,
    maxMessageBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
    flushTimeoutMs: shutdownTimeoutMs,
    ...(options.maxJsonDepth !== undefined && { maxJsonDepth: options.maxJsonDepth }),
  })
  let ending: Promise<void> | undefined
  let closedLocally = false

  const end = async (): Promise<void> => {
    await pipe.close()
    await group.terminate({ shutdownTimeoutMs, killTimeoutMs })
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    await watch.settled()
  }
  void watch.disconnected.then(() => (ending ??= end()))
  return {
    pid: child.pid,
    exited: watch.exited,
    send: (message) => pipe.send(message),
    receive(onReceived, onClose) {
      const receive = (input: ChannelInput): void => {
        if ('unreadable' in input) watch.strayOutput ??= input.head
        onReceived(input)
      }
      pipe.receive(receive, () => {
        if (closedLocally) onClose()
        else void watch.closeReason().then(onClose)
      })
    },
    close() {
      closedLocally = true
      return (ending ??= end())
    },
  }
}

function start({ command, args = [], env, cwd, platform = process.platform }: SpawnOptions): {
  child: Child
  target: SpawnTarget
} {
  const environment = environmentFor(env, { platform, env: process.env })
  const target = { command, cwd: cwd instanceof URL ? fileURLToPath(cwd) : cwd, env: environment }
  const { args: finalArgs, ...launch } = platform === 'win32' ? launchOnWindows(target, args) : { command, args }
  try {
    const child = spawn(launch.command, finalArgs, {
      ...ownGroup(platform),
      ...launch,
      cwd: target.cwd,
      env: target.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    return { child, target }
  } catch (cause) {
    throw explainFailure(target, cause)
  }
}

/** The lifecycle of a child process. */
interface ChildWatch {
  readonly exited: Promise<ProcessExit>
  /** Resolves when the pipes to the child are closed, after its last output. */
  readonly disconnected: Promise<void>
  /** Resolves when the process has exited and its pipes are closed, or when one of the two takes too long after the other. */
  settled(): Promise<void>
  /** The first text on stdout that is not a message. */
  strayOutput: string | undefined
  /** The program writes a line that does not end, and is terminated for it. */
  hasEndlessLine: boolean
  /** Resolves with the reason why the channel closes. */
  closeReason(): Promise<Error>
}

function watchChild(child: Child, target: SpawnTarget, { args = [], onStderr }: SpawnOptions): ChildWatch {
  const name = [target.command, ...args.slice(0, 2)].join(' ')
  let stderr = ''
  let spawnError: Error | undefined
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR_CHARS)
    onStderr?.(text)
  })
  child.stderr.on('error', () => {})

  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()))
  /** Exit and pipes of a child end in any order: other processes may keep the pipes open, and the exit may be reported late. */
  const settled = async (): Promise<void> => {
    if (spawnError) return
    const stop = new AbortController()
    await Promise.race([closed, delay(SETTLE_TIMEOUT_MS, stop.signal).catch(() => {})])
    stop.abort()
  }
  const exitOf = (): ProcessExit => {
    const [code, signal] = [child.pid === undefined ? null : child.exitCode, child.signalCode]
    const { hasEndlessLine, strayOutput } = watch
    const summary = hasEndlessLine ? ENDLESS : summarize(code, signal)
    return { code, signal, stderr, summary, ...(strayOutput !== undefined && !hasEndlessLine && { strayOutput }) }
  }
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', () => void settled().then(() => resolve(exitOf())))
    child.once('error', (cause) => {
      spawnError = explainFailure(target, cause)
      if (child.pid === undefined) resolve(exitOf())
    })
  })
  const disconnected = new Promise<unknown>((resolve) => {
    child.stdin.once('close', resolve)
    child.stdout.once('close', resolve)
    void exited.then(resolve)
  })
  const watch: ChildWatch = {
    exited,
    settled,
    disconnected: disconnected.then(settled),
    strayOutput: undefined,
    hasEndlessLine: false,
    async closeReason() {
      await settled()
      const exit = exitOf()
      const output = watch.hasEndlessLine ? '' : exit.stderr.trim()
      const text = `The server "${name}" ${describeExit(exit)}${output === '' ? '' : `. Its last output on stderr:\n${output}`}`
      return spawnError ?? new ConnectionLostError(text, { exit })
    },
  }
  return watch
}

function summarize(code: number | null, signal: string | null): string {
  if (signal) return `was terminated by ${signal}`
  return code === null ? 'closed its stdin or stdout but is still running' : `exited with code ${code}`
}
