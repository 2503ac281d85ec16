import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { FaultsServerOptions } from '../server.ts'

export type Child = ChildProcessByStdio<Writable, Readable, Readable>
export type ProcessOptions = Omit<FaultsServerOptions, 'transport'>

/** The number of processes that serve HTTP. Some limits apply to each of them. */
export const PROCESSES = Number(process.env.FAULTS_WORKERS ?? 1)

/** A server process. */
export interface ServerProcess {
  readonly child: Child
  readonly pid: number
  stderr(): string
  /** The exit code and signal. */
  readonly exit: Promise<[code: number | null, signal: string | null]>
  kill(signal?: NodeJS.Signals): void
}

/** Starts the server in a child process. The caller must kill it. */
export function startProcess(choice: FaultsServerOptions): ServerProcess {
  const program = process.env.FAULTS_SERVER
  if (!program) throw new Error('FAULTS_SERVER is not set: run this with test/faults/vitest.config.ts')
  const child = spawn(process.execPath, ['--expose-gc', program, JSON.stringify(choice)], { stdio: ['pipe', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => {})
  const exit = once(child, 'exit') as ServerProcess['exit']
  return {
    child,
    pid: child.pid!,
    stderr: () => stderr,
    exit,
    kill: (signal = 'SIGKILL') => void child.kill(signal),
  }
}

/** Kills a process after the test, if it still runs. */
export function untilTestEnds<T extends { kill(): void }>(started: T): T {
  onTestFinished(() => started.kill())
  return started
}
