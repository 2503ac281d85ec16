/** Data that leaves the inspector: exports without secrets, requests for other tools, recordings, comparisons. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createMcpServer } from 'portcall'
import { readRecording } from 'portcall/testing'
import { expect, onTestFinished, test } from 'vitest'
import type { ExportFormat } from '../../packages/inspector/server/protocol/sharing.ts'
import { serveFixture } from './support/fixture-server.ts'
import { startInspector } from './support/inspector.ts'

const ROOT = join(import.meta.dirname, '../..')
const FORMATS: readonly ExportFormat[] = ['ndjson', 'har', 'html', 'snapshot']
const call = { type: 'call-tool', name: 'add', arguments: { a: 1, b: 2 } } as const

/** 200 secrets of different shapes, each unmistakable. */
const SECRETS = Array.from({ length: 200 }, (_, index) => {
  const unique = `${String(index).padStart(3, '0')}${'aB3dE6gH9jK2mN5pQ8sT'.repeat(2)}`
  return [
    `sk-proj-${unique}`,
    `ghp_${unique.slice(0, 36)}`,
    `xoxb-${unique}`,
    `AKIA${unique.toUpperCase().slice(0, 16)}`,
    `glpat-${unique}`,
  ][index % 5] as string
})

test('no export holds a secret', async () => {
  const server = createMcpServer({ name: 'leaky', version: '1' })
  server.tool('leak', {}, () => SECRETS.map((secret, index) => `The key ${index} is ${secret}`).join('\n'))
  const inspector = await startInspector()
  const headers = {
    authorization: 'Bearer very-secret-token-1',
    'x-api-key': 'very-secret-key-2',
    cookie: 'session=very-secret-3',
  }
  const { id } = await inspector.connect({ kind: 'url', url: await serveFixture(server) }, { headers })
  const secretArgs = { password: 'very-secret-4', nested: { access_token: 'very-secret-5' } }
  await inspector.operate(id, { type: 'call-tool', name: 'leak', arguments: {} })
  await inspector.operate(id, { type: 'request', method: 'tools/call', params: { name: 'leak', arguments: secretArgs } })
  for (const format of FORMATS) {
    const { text, redactions } = await inspector.command('export', { format })
    expect([...SECRETS, 'very-secret'].filter((secret) => text.includes(secret))).toEqual([])
    expect(redactions.length).toBeGreaterThan(0)
  }
  for (const format of ['curl', 'portcall', 'typescript', 'test', 'host-entry'] as const) {
    const { text, note } = await inspector.command('copy-as', { format, source: { serverId: id, request: call } })
    expect(text).not.toContain('very-secret')
    if (format !== 'host-entry') expect(note).toContain('TOKEN')
  }
  const { servers } = await inspector.command('get-state', {})
  expect(JSON.stringify([servers, await inspector.entries()])).not.toContain('very-secret-token')
})

test('the formats of an export', async () => {
  const inspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'url', url: await serveFixture() })
  await inspector.operate(id, call)
  const lines = readRecording((await inspector.command('export', { format: 'ndjson' })).text)
  expect(lines.some(({ message }) => message && 'method' in message && message.method === 'tools/call')).toBe(true)
  const { log } = JSON.parse((await inspector.command('export', { format: 'har' })).text) as {
    log: { version: string; entries: HarEntry[] }
  }
  expect(log.version).toBe('1.2')
  for (const entry of log.entries) {
    expect(Date.parse(entry.startedDateTime)).not.toBeNaN()
    expect(entry).toMatchObject({
      time: expect.any(Number),
      request: {
        method: expect.any(String),
        url: expect.any(String),
        httpVersion: expect.any(String),
        cookies: [],
        headers: expect.any(Array),
        queryString: expect.any(Array),
        headersSize: -1,
        bodySize: expect.any(Number),
      },
      response: {
        status: expect.any(Number),
        statusText: '',
        httpVersion: expect.any(String),
        cookies: [],
        headers: expect.any(Array),
        content: { size: expect.any(Number), mimeType: expect.any(String) },
        redirectURL: '',
        headersSize: -1,
        bodySize: expect.any(Number),
      },
      cache: {},
      timings: { send: expect.any(Number), wait: expect.any(Number), receive: expect.any(Number) },
    })
  }
  const html = (await inspector.command('export', { format: 'html' })).text
  expect(html).toContain('tools/call')
  expect(html).not.toMatch(/<script|src=|href=/)
  expect(JSON.parse((await inspector.command('export', { format: 'snapshot' })).text).servers[0].tools).toHaveLength(8)
})

interface HarEntry {
  readonly startedDateTime: string
}

test('curl, the command and the program send the request that the inspector sends', async () => {
  const inspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'url', url: await serveFixture() })
  const { result } = await inspector.operate(id, call)
  const copy = async (format: 'curl' | 'portcall' | 'typescript' | 'test') =>
    (await inspector.command('copy-as', { format, source: { serverId: id, request: call } })).text
  const run = async (file: string, args: string[]) => {
    const { execFile } = await import('node:child_process')
    return new Promise<string>((resolve, reject) => {
      execFile(file, args, { cwd: ROOT, encoding: 'utf8' }, (error, stdout, stderr) =>
        error ? reject(new Error(stderr + stdout)) : resolve(stdout),
      )
    })
  }
  expect(await run('sh', ['-c', await copy('curl')])).toContain('"text":"3"')
  const command = (await copy('portcall')).replace(/^portcall /, `${process.execPath} packages/portcall/dist/cli/main.js `)
  expect(await run('sh', ['-c', command])).toContain('3')
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.portcall-copy-'))
  onTestFinished(() => void execFileSync('rm', ['-r', folder]))
  writeFileSync(join(folder, 'program.mjs'), await copy('typescript'))
  expect(JSON.parse(await run(process.execPath, [join(folder, 'program.mjs')]))).toMatchObject({ content: result?.content })
  writeFileSync(join(folder, 'copied.test.mjs'), await copy('test'))
  expect(await run(process.execPath, ['--test', join(folder, 'copied.test.mjs')])).toMatch(/pass 1/)
})

test('a recording is written, opened without its server, replayed and served', async () => {
  const inspector = await startInspector()
  const url = await serveFixture()
  const { id } = await inspector.connect({ kind: 'url', url })
  const path = join(mkdtempSync(join(tmpdir(), 'portcall-recording-')), 'session.ndjson')
  const { recordingId } = await inspector.command('start-recording', { path })
  await inspector.operate(id, call)
  expect((await inspector.command('stop-recording', { recordingId })).messages).toBeGreaterThan(1)
  const text = readFileSync(path, 'utf8')
  const other = await startInspector()
  const imported = await other.command('import-recording', { name: 'session', text })
  const shown = (await other.entries()).filter(({ serverId }) => serverId === imported.serverId)
  expect(shown.filter((entry) => entry.type === 'message' && entry.subject === 'add')).toHaveLength(2)
  const live = await other.connect({ kind: 'url', url })
  const { runId } = await other.command('start-replay', { serverId: live.id, recordingId: imported.recordingId })
  const replay = async () => (await other.command('get-state', {})).replays.find((run) => run.id === runId)
  await expect.poll(async () => (await replay())?.status).toBe('done')
  expect((await replay())?.sent).toBeGreaterThan(0)
  expect((await replay())?.differences).toEqual([])
  const served = await other.command('serve-recording', { recordingId: imported.recordingId, serve: true })
  const again = await other.connect({ kind: 'url', url: served.url ?? '' })
  expect((await other.operate(again.id, call)).result).toMatchObject({ content: [{ text: '3' }] })
})

test('one changed member is one row', async () => {
  const create = (description: string) => {
    const server = createMcpServer({ name: 'twin', version: '1' })
    server.tool('search', { description }, () => '')
    return server
  }
  const inspector = await startInspector()
  const [left, right] = await Promise.all(
    ['before', 'after'].map(async (text) => inspector.connect({ kind: 'url', url: await serveFixture(create(text)) })),
  )
  const { rows } = await inspector.command('diff', {
    left: { type: 'server', serverId: left?.id ?? '' },
    right: { type: 'server', serverId: right?.id ?? '' },
  })
  expect(rows).toMatchObject([
    { where: 'tool search', pointer: '/description', change: 'changed', before: 'before', after: 'after' },
  ])
})

test('saved calls fail when an assertion does not hold', async () => {
  const inspector = await startInspector()
  const server = await inspector.connect({ kind: 'url', url: await serveFixture() })
  for (const value of ['3', '4']) {
    const assertions = [{ pointer: '/content/0/text', check: 'equals', value }] as const
    await inspector.command('save-call', { call: { id: value, name: value, server: server.name, request: call, assertions } })
  }
  const { outcomes } = await inspector.command('run-calls', { serverId: server.id })
  expect(outcomes.map(({ id, passed }) => [id, passed])).toEqual([
    ['3', true],
    ['4', false],
  ])
})

test('saved calls run against the server that they were saved for, also after it has another name', async () => {
  const inspector = await startInspector()
  const target = { kind: 'url', url: await serveFixture() } as const
  const { id: serverId, name: server } = await inspector.connect(target)
  const other = { kind: 'url', url: await serveFixture() } as const
  for (const [id, at] of [
    ['own', target],
    ['other', other],
  ] as const)
    await inspector.command('save-call', { call: { id, name: id, server, target: at, request: call, assertions: [] } })
  await inspector.command('update-server', { serverId, name: 'renamed' })
  const ran = async () => (await inspector.command('run-calls', { serverId })).outcomes.map(({ id }) => id)
  expect(await ran()).toEqual(['own'])
  expect((await inspector.command('export-calls', {})).text).not.toContain(target.url)
  // Calls of another server are what a person means by running them against this one.
  await inspector.command('delete-call', { id: 'own' })
  expect(await ran()).toEqual(['other'])
})

test('doctor and quality run for a server', async () => {
  const inspector = await startInspector()
  const { id } = await inspector.connect({ kind: 'url', url: await serveFixture() })
  const report = await inspector.command('check-quality', { serverId: id })
  expect(report.tools).toHaveLength(8)
  expect(report.findings.every(({ message }) => message !== '')).toBe(true)
  await inspector.command('run-doctor', { serverId: id })
  const doctor = async () => (await inspector.command('get-state', {})).doctors[0]
  await expect.poll(async () => (await doctor())?.status).toBe('done')
  expect((await doctor())?.steps.map((step) => step.id)).toContain('era')
})

test('the doctor names the port that nobody listens on', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => closed.once('listening', resolve))
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  const inspector = await startInspector()
  const { serverId } = await inspector.command('add-server', { target: { kind: 'url', url: `http://127.0.0.1:${port}/mcp` } })
  await inspector.command('run-doctor', { serverId })
  await expect.poll(async () => (await inspector.command('get-state', {})).doctors[0]?.firstFailure).toBe('tcp')
})
