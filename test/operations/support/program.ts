import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A program that serves. */
export interface Program {
  readonly url: string
  readonly process: ChildProcess
  /** Resolves to the exit code or the signal. */
  readonly exited: Promise<number | string>
}

const running = new Set<ChildProcess>()

/** Kills the programs that still run. */
export function killPrograms(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Starts `support/workers.mjs` and resolves when it serves. */
export async function startProgram(options: object = {}, env: Record<string, string> = {}): Promise<Program> {
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
