import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

const PROGRAM = `
  import { createServer } from 'portcall'
  import { serve } from 'portcall/node'
  const server = createServer({ name: 'slow', version: '1' })
  server.tool('wait', {}, () => new Promise((resolve) => setTimeout(resolve, 1000, 'done')))
  const { url } = await serve(server, { port: 0, shutdownDelayMs: 1500 })
  console.log(url)
`

let child: ChildProcess | undefined
afterEach(() => child?.kill('SIGKILL'))

/** Starts the program and resolves to the URL of its server. */
async function start(): Promise<string> {
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout!, 'data')
  return String(line).trim()
}

test.skipIf(process.platform === 'win32')(
  'after SIGTERM, a server stops being ready first, then it drains',
  async () => {
    const url = await start()
    const status = (path: string) => fetch(new URL(path, url)).then((response) => response.status)
    expect([await status('/livez'), await status('/readyz')]).toEqual([200, 200])

    const client = await connect(url)
    const exited = once(child!, 'exit')
    child!.kill('SIGTERM')
    await eventually(async () => expect(await status('/readyz')).toBe(503))
    expect(await status('/livez')).toBe(200)

    // A call that arrives after the signal is served, even if it ends after the delay.
    const results = await Promise.all(Array.from({ length: 5 }, () => client.callTool('wait')))
    expect(results.map(({ content }) => content[0])).toEqual(new Array(5).fill({ type: 'text', text: 'done' }))
    expect((await exited)[0]).toBe(0)
    await client.close()
  },
  15_000,
)
