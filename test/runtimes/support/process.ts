import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { FOLDER } from './places.mjs'

/** The exit status and the output of a program. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** A program that runs until it is stopped. */
export interface Running {
  /** The first line it printed. */
  readonly firstLine: string
  /** Stops it and returns its exit status. */
  stop(ms?: number): Promise<Ended>
}

const START_MS = 60_000

/** Runs a program until it exits by itself. */
export async function runToEnd([command = '', ...args]: readonly string[], ms: number): Promise<Ended> {
  return ended(spawn(command, args, { cwd: FOLDER, stdio: ['ignore', 'pipe', 'pipe'] }), ms)
}

/** Starts a program and waits for its first line; workerd prints it on a separate pipe. */
export async function start([command = '', ...args]: readonly string[], pipe = 1): Promise<Running> {
  const child = spawn(command, args, { cwd: FOLDER, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  const ending = ended(child, Infinity)
  const line = new Promise<string>((resolve) => {
    let text = ''
    child.stdio[pipe]?.on('data', (data) => (text += data).includes('\n') && resolve(text.split('\n', 1)[0] ?? ''))
  })
  const late = new Promise<string>((resolve) => setTimeout(resolve, START_MS, '').unref())
  const firstLine = await Promise.race([line, late, ending.then(() => '')])
  if (firstLine === '') {
    child.kill('SIGKILL')
    throw new Error(`${command} did not start: ${(await ending).stderr}`)
  }
  return {
    firstLine,
    async stop(ms = 5000) {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), ms)
      return ending.finally(() => clearTimeout(timer))
    },
  }
}

async function ended(child: ChildProcess, ms: number): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (data) => (stdout += data))
  child.stderr?.on('data', (data) => (stderr += data))
  const timer = ms === Infinity ? undefined : setTimeout(() => child.kill('SIGKILL'), ms)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  return { code, stdout, stderr }
}
