import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const COMMAND: string = fileURLToPath(new URL('../../../packages/portcall/dist/cli/main.js', import.meta.url))
export const DEMO: string = fileURLToPath(new URL('../fixtures/demo.mjs', import.meta.url))
export const STDIO: string = fileURLToPath(new URL('../fixtures/stdio.mjs', import.meta.url))

/** The exit code and the output of the command. */
export interface CommandOutcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly input?: string
  readonly env?: Record<string, string>
  readonly cwd?: string
  /** The Node executable. Default: the one that runs the tests. */
  readonly node?: string
}

/** Starts the built command. */
export function start(
  args: readonly string[],
  { env, cwd, node = process.execPath }: RunOptions = {},
): ChildProcessWithoutNullStreams {
  return spawn(node, [COMMAND, ...args], { env: { ...process.env, ...env }, ...(cwd && { cwd }) })
}

/** Runs the command until it exits. */
export function portcall(args: readonly string[], options: RunOptions = {}): Promise<CommandOutcome> {
  const child = start(args, options)
  child.stdin.end(options.input ?? '')
  return untilExit(child)
}

/** Waits until a process exits. */
export async function untilExit(child: ChildProcessWithoutNullStreams): Promise<CommandOutcome> {
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  return { code, out, err }
}

/** Waits until the output of a stream matches. */
export function untilOutput(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<RegExpExecArray> {
  let text = ''
  return new Promise((resolve, reject) => {
    const onData = (chunk: unknown): void => {
      text += String(chunk)
      const match = pattern.exec(text)
      if (match) {
        stream.off('data', onData)
        resolve(match)
      }
    }
    stream.on('data', onData)
    stream.once('end', () => reject(new Error(`No output matches ${pattern}: ${text}`)))
  })
}

/** Serves a module from a process of its own until the test ends: the demo by default. Returns its URL. */
export async function serveModule(path = DEMO, port = 0): Promise<string> {
  const child = start(['serve', path, '--port', String(port)])
  const end = untilExit(child)
  onTestFinished(async () => {
    child.kill()
    await end
  })
  const [, url = ''] = await untilOutput(child.stdout, /Listening at (\S+)/)
  return url
}
