/** `portcall inspect` on each Node: the page, its policy, a server that it starts, and an exit that leaves no process. */
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureInspector } from '../../tools/inspector.mjs'
import { BINARIES } from './support/binaries.mjs'
import { DIST } from './support/places.mjs'
import { start } from './support/process.ts'

const COMMAND = fileURLToPath(new URL('../../packages/portcall/dist/cli/main.js', import.meta.url))
const SERVER = `${DIST}/servers/stdio.js`
const BUILD_MS = 300_000
const CONNECT_MS = 20_000

beforeAll(ensureInspector, BUILD_MS)

describe.each(['Node 20', 'Node 22', 'Node 24'] as const)('%s', (name) => {
  it('serves the page, connects to a program, and ends with it', async () => {
    const node = BINARIES[name]
    const inspector = await start([node, COMMAND, 'inspect', '--no-open', '--', node, SERVER])
    const [link = ''] = /http:\/\/127\.0\.0\.1:\d+\/open\/\S+/.exec(inspector.firstLine) ?? []
    const { origin } = new URL(link)

    const opened = await fetch(link, { redirect: 'manual' })
    const [cookie = ''] = opened.headers.get('set-cookie')?.split(';') ?? []
    const [, key = ''] = opened.headers.get('location')?.split('#key=') ?? []
    const page = await fetch(origin, { headers: { cookie } })
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const [script = ''] = /assets\/index-[\w-]+\.js/.exec(await page.text()) ?? []
    expect((await fetch(`${origin}/${script}`, { headers: { cookie } })).status).toBe(200)

    await connectedServer(`${origin}/api/events?key=${key}`, cookie)
    expect(await inspector.stop()).toMatchObject({ code: 0 })
    await expect(fetch(origin)).rejects.toThrow('fetch failed')
  })
})

/** Reads the events until a server is connected. */
async function connectedServer(url: string, cookie: string): Promise<void> {
  const { body } = await fetch(url, { headers: { cookie }, signal: AbortSignal.timeout(CONNECT_MS) })
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('"status":"connected"')) return
  }
  throw new Error(`no server was connected: ${text}`)
}
