import { once } from 'node:events'
import { expect, test } from 'vitest'
import { readEvents, type SseEvent } from '../../support/sse.ts'
import { databaseOf, makeFolder, printedUrl, removeFolder, start } from './place.ts'

const ACCEPT = 'application/json, text/event-stream'
const CLIENT = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'reader', version: '1' } }

const post = (url: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: ACCEPT, ...headers },
    body: JSON.stringify(body),
  })
const call = (id: number, method: string, params: object = {}): object => ({ jsonrpc: '2.0', id, method, params })

function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  if (!body) throw new Error('There is no body')
  return body
}

/** The next event of a stream that one waits for. */
async function next(events: AsyncIterator<SseEvent>, wanted: (event: SseEvent) => boolean): Promise<SseEvent> {
  for (let event = await events.next(); !event.done; event = await events.next()) if (wanted(event.value)) return event.value
  throw new Error('The stream has ended')
}

test('HTTP-033, HTTP-044: a session and its stream go on after kill -9 and a new start', async () => {
  const folder = await makeFolder({ 'garden.md': '# The garden\n' })
  const env = { DATABASE: databaseOf(folder) }
  const first = await start([folder], env)
  const url = await printedUrl(first.child)
  const opened = await post(url, call(1, 'initialize', CLIENT))
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' }
  await opened.text()
  const listening = await fetch(url, { headers: { accept: 'text/event-stream', ...session } })
  const { id } = await next(readEvents(bodyOf(listening))[Symbol.asyncIterator](), (event) => event.id !== undefined)

  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const second = await start([folder], { ...env, PORT: new URL(url).port })
  await printedUrl(second.child)

  const resumed = await fetch(url, { headers: { accept: 'text/event-stream', 'last-event-id': id ?? '', ...session } })
  expect(resumed.status).toBe(200)
  const events = readEvents(bodyOf(resumed))[Symbol.asyncIterator]()
  const answer = await post(url, call(2, 'tools/call', { name: 'write', arguments: { path: 'new.md', text: '# New' } }), session)
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('new.md')])
  expect((await next(events, ({ data }) => data !== undefined && data !== '')).data).toContain('list_changed')
  await events.return(undefined)
  await second.end()
  await removeFolder(folder)
}, 40_000)
