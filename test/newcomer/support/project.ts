/** Runs the compiled programs of the project that setup.ts creates. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'portcall/client'
import { expect, inject, onTestFinished } from 'vitest'
import { eventually } from '../../../packages/portcall/test-kit/eventually.ts'
import { freePort } from '../../support/free-port.mjs'

/** The output of a program, and its exit code. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program that serves an endpoint. */
export interface Serving {
  readonly url: string
  readonly port: number
  /** Returns its stdout so far. */
  printed(): string
  /** Sends a signal and waits until the program exits. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

export interface RunOptions {
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
  /** Arguments of Node before the program. */
  readonly nodeArgs?: readonly string[]
}

export interface StartOptions extends RunOptions {
  /** The text that the program prints to stdout when it is ready. Default: the program is ready when its URL responds. */
  readonly until?: string
  /** True if the program may exit without serving. */
  readonly mayExit?: boolean
}

/** How long a program may take to respond or to end. */
const WAIT_MS = 60_000

const compiled = (path: string): string => path.replace(/\.(m?)ts$/, '.$1js')

function open(path: string, { args = [], env, nodeArgs = [] }: RunOptions): { child: ChildProcess; ended: Promise<Ended> } {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const child = spawn(process.execPath, [...nodeArgs, compiled(path), ...args], {
    cwd: inject('project'),
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }))
  return { child, ended }
}

/** Runs a program until it exits. Throws if it fails. */
export async function run(path: string, options: RunOptions = {}): Promise<Ended> {
  const ended = await open(path, options).ended
  if (ended.code !== 0) throw new Error(`${path} exited with ${ended.code}:\n${ended.stdout}${ended.stderr}`)
  return ended
}

/**
 * Starts a program that listens on the port in `PORT`, and waits until it responds. With `mayExit`, resolves to undefined if the program
 * exits successfully instead.
 */
export async function start(path: string, options?: StartOptions & { mayExit?: false }): Promise<Serving>
export async function start(path: string, options: StartOptions): Promise<Serving | undefined>
export async function start(path: string, options: StartOptions = {}): Promise<Serving | undefined> {
  const port = Number(options.env?.PORT ?? (await freePort()))
  const url = `http://127.0.0.1:${port}/mcp`
  const { child, ended } = open(path, { ...options, env: { PORT: String(port), ...options.env } })
  let stdout = ''
  child.stdout?.on('data', (text: string) => (stdout += text))
  const exited = ended.then(({ code, stderr }) => {
    if (code === 0 && options.mayExit) return true
    throw new Error(`${path} exited with ${code}:\n${stderr}`)
  })
  exited.catch(() => {})
  const { until } = options
  const isReady =
    until === undefined
      ? () => fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(WAIT_MS) })
      : () => expect(stdout).toContain(until)
  const isOver = await Promise.race([exited, eventually<unknown>(isReady).then(() => false)])
  if (isOver) return undefined
  return {
    url,
    port,
    printed: () => stdout,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      const late = delay(WAIT_MS, undefined, { ref: false }).then(() => {
        throw new Error(`${path} still runs ${WAIT_MS} ms after ${signal}`)
      })
      return Promise.race([ended, late])
    },
  }
}

/** Connects a client that is closed after the test. */
export const connectForTest = async (...args: Parameters<typeof connect>): ReturnType<typeof connect> => {
  const client = await connect(...args)
  onTestFinished(() => client.close())
  return client
}
