import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The output of a program. */
export interface Output {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
}

/** Runs the source of a module with Node and the built package until it exits. `input` is sent to its stdin, which then ends. */
export async function runModule(source: string, input = ''): Promise<Output> {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, moduleArgs(source), { cwd: ROOT })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { stdout, stderr, code }
}

/** The arguments with which Node runs the source of a module. */
export function moduleArgs(source: string): string[] {
  return ['--input-type=module', '--eval', source]
}

/** Serves HTTP on a free port while `use` runs. */
export async function withHttp<T>(listener: RequestListener, use: (origin: string) => Promise<T>): Promise<T> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
