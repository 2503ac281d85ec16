import { once } from 'node:events'
import { rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEvents, type SseEvent } from '../../support/sse.ts'
import { databaseOf, makeFolder, printedUrl, removeFolder, start } from './setup.ts'

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

/** Waits for the next matching event of a stream. */
async function next(events: AsyncIterator<SseEvent>, wanted: (event: SseEvent) => boolean): Promise<SseEvent> {
  for (let event = await events.next(); !event.done; event = await events.next()) if (wanted(event.value)) return event.value
  throw new Error('The stream has ended')
}

test('HTTP-033, HTTP-044: a session and its stream continue after kill -9 and a restart', async () => {
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
})

test('the index survives kill -9 and a restart, and includes changes made meanwhile', async () => {
  const notes = {
    'kept.md': '# Kept apples',
    'changed.md': '# Old plums',
    'gone.md': '# Lost pears',
    'below/deep.txt': 'many apples',
  }
  const folder = await makeFolder(notes)
  const env = { DATABASE: databaseOf(folder) }
  const found = async (url: string, query: string): Promise<string[]> => {
    const { matches } = (await result(url, 'search', { query })) as { matches: { path: string }[] }
    return matches.map(({ path }) => path)
  }
  const first = await start([folder], env)
  const url = await printedUrl(first.child)
  expect(await found(url, 'apples')).toEqual(['below/deep.txt', 'kept.md'])
  await result(url, 'write', { path: 'last.md', text: '# The last cherries' })

  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  await writeFile(join(folder, 'changed.md'), '# New grapes')
  await writeFile(join(folder, 'added.md'), '# More grapes')
  await rm(join(folder, 'gone.md'))
  // Its size and modification time are unchanged, so it is read from the index and not from the folder.
  const { atime, mtime } = await stat(join(folder, 'kept.md'))
  await writeFile(join(folder, 'kept.md'), '# Kept lemons')
  await utimes(join(folder, 'kept.md'), atime, mtime)

  const second = await start([folder], env)
  const again = await printedUrl(second.child)
  expect(await found(again, 'grapes')).toEqual(['added.md', 'changed.md'])
  expect([...(await found(again, 'plums')), ...(await found(again, 'pears'))]).toEqual([])
  expect(await found(again, 'apples')).toEqual(['below/deep.txt', 'kept.md'])
  expect(await found(again, 'cherries')).toEqual(['last.md'])
  expect(await result(again, 'reindex')).toEqual({ notes: 5, words: expect.any(Number) })
  expect(await found(again, 'lemons')).toEqual(['kept.md'])
  await second.end()
  await removeFolder(folder)
})

/** Calls a tool as a client of the newest revision and returns its result. */
async function result(url: string, name: string, args: object = {}): Promise<unknown> {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
  const response = await post(url, call(1, 'tools/call', { name, arguments: args, _meta: meta }), headers)
  const answer = (await response.json()) as { result: { structuredContent: unknown } }
  expect([response.status, answer]).toEqual([200, { jsonrpc: '2.0', id: 1, result: expect.anything() }])
  return answer.result.structuredContent
}
