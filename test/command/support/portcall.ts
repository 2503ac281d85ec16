import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const COMMAND: string = fileURLToPath(new URL('../../../packages/portcall/dist/cli/main.js', import.meta.url))
export const DEMO: string = fileURLToPath(new URL('../fixtures/demo.mjs', import.meta.url))
export const STDIO: string = fileURLToPath(new URL('../fixtures/stdio.mjs', import.meta.url))

/** How a run of the command ended. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface RunOptions {
  readonly input?: string
  readonly env?: Record<string, string>
  readonly cwd?: string
  /** Another Node than that of the tests. */
  readonly node?: string
}

/** Starts the command, as it is built. */
export function start(
  args: readonly string[],
  { env, cwd, node = process.execPath }: RunOptions = {},
): ChildProcessWithoutNullStreams {
  return spawn(node, [COMMAND, ...args], { env: { ...process.env, ...env }, ...(cwd && { cwd }) })
}

/** Runs the command to its end. */
export function portcall(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = start(args, options)
  child.stdin.end(options.input ?? '')
  return ended(child)
}

/** Waits for the end of a run. */
export async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  return { code, out, err }
}

/** Waits until a stream has said something that fits. */
export function said(stream: NodeJS.ReadableStream, wanted: RegExp): Promise<RegExpExecArray> {
  let text = ''
  return new Promise((resolve, reject) => {
    const hear = (chunk: unknown): void => {
      text += String(chunk)
      const found = wanted.exec(text)
      if (found) {
        stream.off('data', hear)
        resolve(found)
      }
    }
    stream.on('data', hear)
    stream.once('end', () => reject(new Error(`${wanted} was not said: ${text}`)))
  })
}

/** Serves the demo in a process of its own, until the test is over; its URL. */
export async function serveDemo(): Promise<string> {
  const child = start(['serve', DEMO, '--port', '0'])
  const end = ended(child)
  onTestFinished(async () => {
    child.kill()
    await end
  })
  const [, url = ''] = await said(child.stdout, /Listening at (\S+)/)
  return url
}
