/** Several servers, their programs, the timeline's limit, and the inspector inside a development server. */
import { spawn } from 'node:child_process'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspectorHandler } from 'portcall/inspector'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createFixtureServer } from './fixtures/fixture-server.mjs'
import { serveFixture } from './support/fixture-server.ts'
import { createPageFolder, openLink, readEvents, startInspector } from './support/inspector.ts'

const PROGRAM = join(import.meta.dirname, 'fixtures/server.mjs')
const MAIN = join(import.meta.dirname, '../../packages/portcall/dist/cli/main.js')
const program = { kind: 'program', command: process.execPath, args: [PROGRAM] } as const
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('three broken servers of ten block none of the others', async () => {
  const inspector = await startInspector()
  const url = await serveFixture()
  const silent = createHttpServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((resolve) => silent.once('listening', resolve))
  onTestFinished(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const broken = [
    { kind: 'url', url: 'http://127.0.0.1:9/mcp' },
    { kind: 'program', command: 'portcall-no-such-program', args: [] },
    { kind: 'url', url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp` },
  ] as const
  const targets = [...broken, ...Array.from({ length: 7 }, () => ({ kind: 'url', url }) as const)]
  const added = await Promise.all(
    targets.map(async (target) => {
      const { serverId, server } = await inspector.command('add-server', { target, settings: { connectTimeoutMs: 60_000 } })
      await inspector.command('connect-server', { serverId, ...(server.runs !== undefined && { confirm: server.runs }) })
      return serverId
    }),
  )
  const statuses = async () => (await inspector.command('get-state', {})).servers.map(({ status }) => status)
  await expect.poll(async () => (await statuses()).filter((status) => status === 'connected').length).toBe(7)
  await expect
    .poll(async () => (await statuses()).slice(0, 3))
    .toEqual(['failed', 'failed', expect.stringMatching(/connecting|failed/)])
  const { servers } = await inspector.command('get-state', {})
  expect(servers.slice(0, 2).map(({ failure }) => failure?.code)).toEqual(['CONNECTION_LOST', 'SPAWN_FAILED'])
  const result = await inspector.operate(added.at(-1) ?? '', { type: 'call-tool', name: 'add', arguments: { a: 2, b: 2 } })
  expect(result.status).toBe('done')
})

test('a wrong revision names those of the server', async () => {
  const inspector = await startInspector()
  const fixture = join(import.meta.dirname, 'fixtures/misbehaving.mjs')
  const server = await inspector.connect(
    { kind: 'program', command: process.execPath, args: [fixture, 'old-'] },
    { revision: '2024-11-05' },
  )
  expect([server.status, server.failure?.code, server.negotiation?.offered]).toEqual([
    'failed',
    'NEGOTIATION_FAILED',
    ['2025-06-18'],
  ])
})

test('a program that ends: its output is the evidence, and no request stays pending', async () => {
  const inspector = await startInspector()
  const ends = 'console.error("DATABASE_URL is not set"); process.exit(3)'
  const { id, failure } = await inspector.connect({ kind: 'program', command: process.execPath, args: ['-e', ends] })
  expect(failure).toMatchObject({ message: 'The program exited with code 3', data: 'DATABASE_URL is not set' })
  await inspector.connect({ kind: 'url', url: 'http://127.0.0.1:9/mcp' })
  const entries = await inspector.entries()
  const requests = entries.flatMap((entry) => (entry.type === 'message' && entry.messageKind === 'request' ? [entry] : []))
  expect(requests.filter(({ serverId }) => serverId === id).length).toBeGreaterThan(1)
  expect(new Set(requests.map(({ state }) => state))).toEqual(new Set(['failed']))
})

test('a server has the name that it says, unless a person has named it', async () => {
  const inspector = await startInspector()
  const nameOf = async (serverId: string) => {
    const { servers } = await inspector.command('get-state', {})
    return servers.find(({ id }) => id === serverId)?.name
  }
  const added = await inspector.command('add-server', { target: program })
  expect(added.server.name).toBe('server.mjs')
  const unnamed = ['-e', 'process.exit(0); // no name']
  expect((await inspector.command('add-server', { target: { ...program, args: unnamed } })).server.name).toBe('node')
  const { id, info } = await inspector.connect(program)
  expect(await nameOf(id)).toBe(info?.title ?? info?.name)
  await inspector.command('update-server', { serverId: id, name: 'mine' })
  await inspector.command('disconnect-server', { serverId: id })
  expect(await nameOf(id)).toBe('mine')
})

test('programs stop some time after the last page was closed', async () => {
  const inspector = await startInspector({ graceMs: 100 })
  const stream = readEvents(inspector.url, { signedIn: inspector.signedIn, after: 0 })
  await stream.next()
  const { pid = 0 } = await inspector.connect(program)
  expect(isAlive(pid)).toBe(true)
  await stream.return(undefined)
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('the command prints its link soon, and Ctrl-C leaves no process', async () => {
  const child = spawn(process.execPath, [MAIN, 'inspect', '--no-open', '--json', '--', process.execPath, PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PORTCALL_HOME: createPageFolder() },
  })
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))))
  const { url, link } = JSON.parse(line) as { url: string; link: string }
  const signedIn = await openLink(link)
  let pid = 0
  for await (const event of readEvents(url, { signedIn, after: 0 })) {
    const servers = event.type === 'snapshot' ? event.state.servers : event.type === 'server' ? [event.server] : []
    pid = servers[0]?.pid ?? 0
    if (pid > 0) break
  }
  expect(isAlive(pid)).toBe(true)
  child.kill('SIGINT')
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('the oldest entries are dropped at the limit, and a reload gets what is left', async () => {
  const inspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'url', url: await serveFixture() })
  await inspector.command('set-timeline-limit', { limit: 100 })
  await inspector.operate(id, { type: 'discover' }, { repeat: { count: 100, concurrency: 8 } })
  const { timeline } = await inspector.command('get-state', {})
  expect([timeline.limit, timeline.size]).toEqual([100, 100])
  expect(timeline.dropped).toBe(timeline.firstId - 1)
  const entries = await inspector.entries()
  expect(entries).toHaveLength(100)
  expect(await inspector.entries(Math.max(...entries.map(({ seq }) => seq)))).toEqual([])
  await expect(inspector.command('set-timeline-limit', { limit: 50_001 })).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
})

test('an older revision shows what the translation changed, and search finds whole texts', async () => {
  const inspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'url', url: await serveFixture() }, { revision: '2025-06-18' })
  await inspector.operate(id, { type: 'call-tool', name: 'numbers', arguments: {} })
  const entries = await inspector.entries()
  const response = entries.find((entry) => entry.type === 'message' && entry.subject === 'numbers' && entry.direction === 'in')
  const detail = await inspector.command('get-entry', { entryId: response?.id ?? 0 })
  expect(detail.changes).toContainEqual({ pointer: '/result/resultType', kind: 'added', newest: 'complete' })
  expect(detail.http).toMatchObject({ status: 200, requestHeaders: { 'mcp-protocol-version': '2025-06-18' } })
  const { entryIds } = await inspector.command('search-timeline', { query: 'NUMBERS' })
  expect(entryIds).toContain(response?.id)
})

test('a development server mounts the inspector, unless it is in production', async () => {
  const handler = inspectorHandler(createFixtureServer(), { assets: createPageFolder() })
  const http = createHttpServer((request, response) => handler(request, response)).listen(0, '127.0.0.1')
  await new Promise((resolve) => http.once('listening', resolve))
  onTestFinished(async () => {
    await handler.close()
    http.closeAllConnections()
    http.close()
  })
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  expect((await fetch(`${origin}/other`)).status).toBe(404)
  expect((await fetch(`${origin}/inspector/api/events`)).status).toBe(401)
  const signedIn = await openLink(handler.link(origin))
  for await (const event of readEvents(`${origin}/inspector/`, { signedIn, after: 0 })) {
    const servers = event.type === 'snapshot' ? event.state.servers : event.type === 'server' ? [event.server] : []
    if (servers[0]?.status === 'connected') break
  }
  vi.stubEnv('NODE_ENV', 'production')
  const off = inspectorHandler(createFixtureServer(), { assets: createPageFolder() })
  const quiet = createHttpServer((request, response) => off(request, response)).listen(0, '127.0.0.1')
  await new Promise((resolve) => quiet.once('listening', resolve))
  onTestFinished(() => void quiet.close())
  expect((await fetch(`http://127.0.0.1:${(quiet.address() as AddressInfo).port}/inspector/`)).status).toBe(404)
})
