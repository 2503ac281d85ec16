import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { compileProgram } from './compile.ts'

/** An example that runs as a program. */
export interface RunningExample {
  /** Resolves to the text of its stdout up to the end of the line with `text`, as soon as it has been printed. */
  until(text: string): Promise<string>
  /** Resolves to its stdout when it has exited. Throws with its stderr when the exit code is not 0. */
  output(): Promise<string>
  /** Writes a line to its stdin. */
  write(text: string): void
  interrupt(): void
}

export interface ExampleOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Compiles an example, and returns the path of the program. */
export function compileExample(name: string): Promise<string> {
  return compileProgram(fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url)))
}

/** Starts an example. Servers listen on a free port. It is stopped at the end of the test. */
export async function startExample(name: string, { args = [], env = {}, cwd }: ExampleOptions = {}): Promise<RunningExample> {
  const child = spawn(process.execPath, [await compileExample(name), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, PORT: '0', ...env },
    ...(cwd !== undefined && { cwd }),
  })
  const exit = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exit
  })
  return control(child, exit)
}

function control(child: ChildProcessByStdio<Writable, Readable, Readable>, exit: Promise<unknown[]>): RunningExample {
  const printed = { stdout: '', stderr: '' }
  child.stdout.on('data', (data) => (printed.stdout += data))
  child.stderr.on('data', (data) => (printed.stderr += data))
  const failure = (what: string): Error => new Error(`The example ${what}:\n${printed.stdout}${printed.stderr}`)
  return {
    async until(text) {
      while (!printed.stdout.includes(text)) {
        if (child.exitCode !== null) throw failure(`ended before it printed ${text}`)
        await Promise.race([once(child.stdout, 'data'), exit])
      }
      return printed.stdout
    },
    async output() {
      const [code] = await exit
      if (code !== 0) throw failure(`ended with ${code}`)
      return printed.stdout
    },
    write: (text) => void child.stdin.write(`${text}\n`),
    interrupt: () => void child.kill('SIGINT'),
  }
}

/** Starts an example that is a server, and returns its URL. */
export async function startServer(name: string, options?: ExampleOptions): Promise<string> {
  const printed = await (await startExample(name, options)).until('\n')
  return printed.replace('Listening at ', '').split('\n', 1)[0] ?? ''
}
