import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { eventually } from '../../../packages/portcall/test-kit/eventually.ts'

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string
  readonly process: ChildProcess
  /** Resolves to the exit code or the signal. */
  readonly exited: Promise<number | string>
}

const running = new Set<ChildProcess>()

/** Kills the servers that still run. */
export function killServers(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Starts `support/workers.mjs` and resolves when it serves. */
export async function startServer(options: object = {}, env: Record<string, string> = {}): Promise<ServerProcess> {
  const program = fileURLToPath(new URL('workers.mjs', import.meta.url))
  const variables = { ...process.env, OPTIONS: JSON.stringify(options), ...env }
  const child = spawn(process.execPath, [program], { env: variables, stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  const exited = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return signal ?? code
  })
  const line = once(child.stdout, 'data').then(([chunk]) => String(chunk))
  const { url } = JSON.parse(await Promise.race([line, exited.then((code) => Promise.reject(new Error(`ended with ${code}`)))]))
  return { url, process: child, exited }
}

/** A program and the port that it listens on. */
export interface ListeningProgram {
  readonly command: readonly string[]
  readonly port: number
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

const KILL_DELAY_MS = 5000

/** Starts a program and waits until it accepts connections. It is stopped when the test ends. */
export async function startProgram({ command, port, cwd, env }: ListeningProgram): Promise<ChildProcess> {
  const [file = '', ...args] = command
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  let errors = ''
  child.stderr?.on('data', (chunk) => (errors += chunk))
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    // The signals go to the process group: strace would leave its program running, and nginx its workers.
    signalGroup(child, 'SIGTERM')
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_DELAY_MS)
    await exited
    clearTimeout(timer)
  })
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${file} ended: ${errors}`)
    await fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' }).catch((error: { cause?: { code?: string } }) => {
      if (error.cause?.code === 'ECONNREFUSED') throw error
    })
  })
  return child
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // All its processes have ended.
  }
}
