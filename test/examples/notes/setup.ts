import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { compileProgram } from '../../support/compile.ts'
import { createDriver, type Driver, type DriverOptions } from '../../support/driver.ts'
import { readEvents } from '../../support/sse.ts'
import type { Receive, Wire } from '../../support/wire.ts'
import { receiveAll } from '../../support/wire-memory.ts'

const MAIN = fileURLToPath(new URL('../../../examples/notes/main.ts', import.meta.url))
const ACCEPT = 'application/json, text/event-stream'

/** The setups that the example runs in: both transports, both eras. */
export const PLACES = (['stdio', 'http'] as const).flatMap((transport) =>
  (['2025-06-18', '2026-07-28'] as const).map((revision) => ({ transport, revision })),
)

/** Creates a folder `notes` with files, in a parent folder for files that must not be accessible. */
export async function makeFolder(files: Record<string, string>): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), 'portcall-notes-')), 'notes')
  await mkdir(folder)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

/** Returns the path of the session store of a folder's server. */
export const databaseOf = (folder: string): string => join(dirname(folder), 'portcall.db')

/** Removes a folder and its parent folder. */
export const removeFolder = (folder: string): Promise<void> => rm(dirname(folder), { recursive: true, force: true })

/** Starts the example in a child process and connects a driver to it. */
export function openNotes(
  folder: string,
  options: Pick<DriverOptions, 'transport' | 'revision' | 'capabilities'>,
): Promise<Driver> {
  const connect = options.transport === 'stdio' ? stdioWire : httpWire
  return createDriver((receive) => connect(folder, receive), options)
}

/** Closes the connection and the process, and expects no schema violations. */
export async function closeNotes(driver: Driver): Promise<void> {
  await driver.close()
  expect(driver.violations).toEqual([])
}

/** Starts the example in a child process. */
export async function start(
  args: string[],
  variables: NodeJS.ProcessEnv,
): Promise<{ child: ChildProcess; end(): Promise<void> }> {
  const env = { ...process.env, PORT: '0', ...variables }
  const child = spawn(process.execPath, [await compileProgram(MAIN), ...args], { stdio: ['pipe', 'pipe', 'pipe'], env })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exited = once(child, 'exit')
  const end = async (): Promise<void> => {
    child.stdin?.end()
    if (!args.includes('--stdio')) child.kill('SIGTERM')
    const deadline = setTimeout(() => child.kill('SIGKILL'), 60_000)
    const [code, signal] = await exited
    clearTimeout(deadline)
    expect({ code, signal }, stderr).toEqual({ code: 0, signal: null })
  }
  return { child, end }
}

async function stdioWire(folder: string, receive: Receive): Promise<Wire> {
  const { child, end } = await start(['--stdio', folder], {})
  if (!child.stdout) throw new Error('There is no stdout')
  createInterface({ input: child.stdout }).on('line', (line) => receiveAll(JSON.parse(line), receive))
  return {
    async send(message) {
      child.stdin?.write(`${JSON.stringify(message)}\n`)
      return undefined
    },
    close: end,
  }
}

async function httpWire(folder: string, receive: Receive): Promise<Wire> {
  const { child, end } = await start([folder], { DATABASE: databaseOf(folder) })
  const url = await printedUrl(child)
  const controller = new AbortController()
  let session: Record<string, string> = {}

  const read = async (response: Response): Promise<void> => {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const text = await response.text()
      if (text) receiveAll(JSON.parse(text), receive)
    } else if (response.body)
      for await (const { data } of readEvents(response.body)) if (data) receiveAll(JSON.parse(data), receive)
  }
  return {
    async send(message, { headers, signal } = {}) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: ACCEPT, ...session, ...headers },
        body: JSON.stringify(message),
        signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
      })
      const id = response.headers.get('mcp-session-id')
      if (id) session = { 'mcp-session-id': id }
      await read(response)
      return response
    },
    async listen(headers) {
      const response = await fetch(url, {
        headers: { accept: 'text/event-stream', ...session, ...headers },
        signal: controller.signal,
      })
      read(response).catch(() => {})
    },
    async close() {
      controller.abort()
      await end()
    },
  }
}

/** Returns the URL that the program prints, next to three ways to connect. */
export async function printedUrl(child: ChildProcess): Promise<string> {
  let printed = ''
  child.stdout?.setEncoding('utf8')
  for await (const text of child.stdout ?? []) {
    printed += text
    const url = /mcp add --transport http notes (\S+)\n/.exec(printed)?.[1]
    if (!url) continue
    expect(printed).toContain(`{ "mcpServers": { "notes": { "url": "${url}" } } }`)
    return url
  }
  throw new Error(`No URL was printed: ${printed}`)
}
