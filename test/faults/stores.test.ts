/** Faults of the disk and the clock that the stores depend on. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { createServer, type Server } from 'portcall'
import { connect } from 'portcall/client'
import { serve } from 'portcall/node'
import { sqliteStores } from 'portcall/stores/sqlite'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
const LARGE = 'x'.repeat(100_000)
const MINUTE = 60_000

afterEach(() => void vi.restoreAllMocks())

/** Starts a server with one tool that sends many notifications, and collects its events. */
function talking(): { server: Server; events: unknown[] } {
  const events: unknown[] = []
  const server = createServer({ name: 'test', version: '1' }, { onEvent: (event) => events.push(event) })
  server.tool('talk', {}, (_args, call) => {
    for (const step of [1, 2, 3]) call.progress(step, 3, LARGE)
    return 'said'
  })
  return { server, events }
}

/** Opens a session with raw requests. */
async function openSession({ url }: { url: string }) {
  const send = (body: object, headers = {}) =>
    fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify({ jsonrpc: '2.0', ...body }) })
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const opened = await send({ id: 0, method: 'initialize', params })
  const own = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '', 'MCP-Protocol-Version': '2025-06-18' }
  await opened.text()
  return {
    /** Calls the tool, and returns the ids and the number of its events. */
    async talk() {
      const call = { id: 1, method: 'tools/call', params: { name: 'talk', _meta: { progressToken: 1 } } }
      const text = await (await send(call, own)).text()
      const ids = [...text.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id)
      return { ids, events: [...text.matchAll(/^data: ./gm)].length }
    },
    async resume(id: string) {
      const answer = await fetch(url, { headers: { Accept: 'text/event-stream', ...own, 'Last-Event-ID': id } })
      return { status: answer.status, text: await answer.text() }
    },
  }
}

test('E01 events have no ids while the disk is full but all arrive, and have ids again when there is space', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-full-'))
  const database = new Database(join(folder, 'log.db'))
  const stores = sqliteStores(database)
  const { server, events } = talking()
  const serving = await serve(server, { port: 0, eventLog: stores.log })
  onTestFinished(() => serving.close())
  const session = await openSession(serving)
  expect((await session.talk()).ids.length).toBe(4)

  database.exec('PRAGMA max_page_count = 1')
  for (let turn = 0; turn < 3; turn++) {
    const { ids, events } = await session.talk()
    // There may be space for the last event, which is small.
    expect([ids.length < 2, events]).toEqual([true, 4])
  }
  expect(events.length).toBeGreaterThan(2)
  for (const event of events) expect(event).toMatchObject({ type: 'error', error: { code: 'STORE_UNAVAILABLE' } })

  database.exec('PRAGMA max_page_count = 1000000')
  const { ids } = await session.talk()
  expect(ids.length).toBe(4)
  const { status, text } = await session.resume(ids[2] ?? '')
  expect([status, text.includes('said'), text.includes(LARGE)]).toEqual([200, true, false])
  await stores.close()
  database.close()
  await rm(folder, { recursive: true })
})

test.each([10 * MINUTE, -10 * MINUTE, 24 * 60 * MINUTE])(
  'E02 calls continue, sessions stay and request state is accepted when the clock is set by %i ms',
  async (ms) => {
    let skew = 0
    const real = Date.now
    vi.spyOn(Date, 'now').mockImplementation(() => real() + skew)
    let finish: (() => void) | undefined
    const end = async (): Promise<void> => {
      await eventually(() => expect(finish).toBeDefined())
      finish?.()
      finish = undefined
    }
    const server = createServer({ name: 'test', version: '1' })
    server.tool('slow', {}, () => new Promise<string>((resolve) => (finish = () => resolve('done'))))
    const serving = await serve(server, { port: 0 })
    onTestFinished(() => serving.close())
    for (const protocolVersion of ['2026-07-28', '2025-11-25']) {
      skew = 0
      const client = await connect(serving.url, { protocolVersion })
      onTestFinished(() => client.close())
      const running = client.callTool('slow')
      await eventually(() => expect(finish).toBeDefined())
      skew = ms
      await new Promise((resolve) => setTimeout(resolve, 1500))
      await end()
      expect((await running).content).toEqual([{ type: 'text', text: 'done' }])
      const again = client.callTool('slow')
      await end()
      expect((await again).content).toEqual([{ type: 'text', text: 'done' }])
    }
  },
)
