import { appendFile, chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RpcError } from '../../jsonrpc/errors.ts'
import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { type Request, type Response, success } from '../../jsonrpc/message.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import { auditLog } from './audit-log.ts'
import { createFileSink } from './file.ts'
import { createStoredAuditLog } from './stored-audit-log.ts'
import { type AuditSink, createAuditTrail, verifyAuditLog } from './trail.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'))
  path = join(folder, 'audit.jsonl')
})
afterEach(() => rm(folder, { recursive: true }))

const context: ExchangeContext = { signal: new AbortController().signal, notify() {}, auth: { principal: 'ada' } }
const call = (name: string, args: object = {}): Request => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { traceparent: '00-abc' } },
})
const respond = async ({ id, params }: Request): Promise<Response> => {
  if (params?.name === 'missing') return new RpcError(-32602, 'Unknown tool').response(id)
  if (params?.name === 'lost') throw new Error('disconnected')
  return success(id, { resultType: 'complete', content: [], ...(params?.name === 'fail' && { isError: true }) })
}
const linesOf = async (file = path): Promise<string[]> => (await readFile(file, 'utf8')).trimEnd().split('\n')
const recordsOf = async (): Promise<Array<Record<string, unknown>>> => (await linesOf()).map((line) => JSON.parse(line))

/** A sink in memory. */
function memorySink(lines: string[] = []): AuditSink & { lines: string[] } {
  return {
    lines,
    append: async (text) => void lines.push(...text.trimEnd().split('\n')),
    last: async () => lines.at(-1),
  }
}

describe('auditLog', () => {
  test('what callers and servers write into a record has a limit', async () => {
    const long = 'x '.repeat(500_000)
    const log = auditLog({ to: path, arguments: (args) => args, details: () => ({ item: long, traceId: long }) })
    const request = { ...call(long, { text: long }), method: 'tools/call' }
    Object.assign(request.params?._meta ?? {}, { traceparent: long })
    await log(request, context, async ({ id }) => success(id, { resultType: long }))
    await log({ ...request, params: { name: { not: [long] } } }, context, respond)
    const [first, second] = await recordsOf()
    const start = `${'x '.repeat(128)}… [999744 more characters]`
    expect(first).toMatchObject({ target: start, item: start, traceId: start, traceparent: start, outcome: start })
    expect(String(first?.arguments)).toHaveLength(65_536 + '… [934475 more characters]'.length)
    expect(second).not.toHaveProperty('target')
  })

  test('records who called what, with which outcome, in a file that only its user can read', async () => {
    const log = auditLog({ to: path })
    await log(call('search', { query: 'pears', token: 'swordfish' }), context, respond)
    await log(call('fail'), context, respond)
    await log(call('missing'), context, respond)
    await expect(log(call('lost'), context, respond)).rejects.toThrow('disconnected')
    await log({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, context, respond)
    const records = await recordsOf()
    expect(records.map(({ target, outcome }) => [target, outcome])).toEqual([
      ['search', 'ok'],
      ['fail', 'failed'],
      ['missing', 'error'],
      ['lost', 'aborted'],
    ])
    expect(records[0]).toMatchObject({ seq: 1, principal: 'ada', method: 'tools/call', traceparent: '00-abc' })
    expect(JSON.stringify(records)).not.toContain('swordfish')
    expect((await stat(path)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600)
    expect(await verifyAuditLog(await linesOf())).toMatchObject({ intact: true, records: 4 })
  })

  test('records arguments only as the option returns them', async () => {
    const log = auditLog({ to: path, arguments: (args) => ({ ...(args as object), token: '[redacted]' }) })
    await log(call('search', { query: 'pears', token: 'swordfish' }), context, respond)
    expect((await recordsOf())[0]?.arguments).toEqual({ query: 'pears', token: '[redacted]' })
  })

  test('continues the chain after a restart', async () => {
    for (let i = 0; i < 3; i++) await auditLog({ to: path })(call('search', { text: '語'.repeat(50_000) }), context, respond)
    expect(await verifyAuditLog(await linesOf())).toMatchObject({ intact: true, records: 3 })
  })

  test('continues after a process was killed in an append', async () => {
    await auditLog({ to: path })(call('search'), context, respond)
    await auditLog({ to: path })(call('long', { text: 'x'.repeat(50_000) }), context, respond)
    const whole = await readFile(path, 'utf8')
    for (const length of [whole.length - 1, whole.length - 10, whole.indexOf('\n') + 9, whole.indexOf('\n')]) {
      await writeFile(path, whole.slice(0, length))
      await auditLog({ to: path })(call('search'), context, respond)
      const records = length === whole.length - 1 ? 3 : 2
      expect(await verifyAuditLog(await linesOf())).toMatchObject({ intact: true, records })
    }
    await writeFile(path, 'notes without a line feed')
    await expect(auditLog({ to: path, onError: () => {} })(call('search'), context, respond)).rejects.toThrow('is not a record')
    expect(await readFile(path, 'utf8')).toBe('notes without a line feed')
  })

  test('refuses to continue a file that ends with something else', async () => {
    await writeFile(path, 'hello\n')
    const onError = vi.fn()
    await expect(auditLog({ to: path, onError })(call('search'), context, respond)).rejects.toThrow('is not a record')
    expect(onError).toHaveBeenCalledOnce()
  })

  test('fails the request if it cannot be recorded, unless told to continue', async () => {
    const to = join(folder, 'no-such-folder', 'audit.jsonl')
    const onError = vi.fn()
    await expect(auditLog({ to, onError })(call('search'), context, respond)).rejects.toThrow('ENOENT')
    expect(await auditLog({ to, onError, onFailure: 'continue' })(call('search'), context, respond)).toHaveProperty('result')
    expect(onError).toHaveBeenCalledTimes(2)
  })
})

describe('several logs that write to one place', () => {
  const append = async (sinks: readonly AuditSink[]): Promise<void> => {
    const trails = sinks.map(createAuditTrail)
    for (let n = 0; n < 10; n++) await Promise.all(trails.map((trail, writer) => trail.append({ writer, n })))
  }

  test('to a file make one chain, and leave no other file', async () => {
    await append(Array.from({ length: 4 }, () => createFileSink(path)))
    expect(await verifyAuditLog(await linesOf())).toMatchObject({ intact: true, records: 40 })
    expect(await readdir(folder)).toEqual(['audit.jsonl'])
  })

  test('to a store make one chain, also when the key of the last record is lost', async () => {
    const store = createMemoryStore()
    await append(Array.from({ length: 4 }, () => createStoredAuditLog(store, { name: 'calls' })))
    await store.delete('portcall:calls:last')
    await append([createStoredAuditLog(store, { name: 'calls' })])
    const { lines } = createStoredAuditLog(store, { name: 'calls' })
    expect(await verifyAuditLog(lines())).toMatchObject({ intact: true, records: 50 })
  })
})

test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'a log in a folder without write permission is written without a lock',
  async () => {
    await writeFile(path, '')
    await chmod(folder, 0o500)
    await auditLog({ to: path })(call('search'), context, respond)
    expect(await verifyAuditLog(await linesOf())).toMatchObject({ intact: true, records: 1 })
  },
)

describe('the hash chain', () => {
  test('holds for concurrent records, and for records after a failure', async () => {
    const sink = memorySink()
    const { append } = sink
    const trail = createAuditTrail(sink)
    await Promise.all(Array.from({ length: 20 }, (_, n) => trail.append({ n })))
    sink.append = () => Promise.reject(new Error('The disk is full'))
    await expect(trail.append({ n: 20 })).rejects.toThrow('The disk is full')
    sink.append = append
    await trail.append({ n: 21 })
    expect(sink.lines.map((line) => JSON.parse(line).n)).toEqual([...Array.from({ length: 20 }, (_, n) => n), 21])
    expect(await verifyAuditLog(sink.lines)).toMatchObject({ intact: true, records: 21 })
  })

  test('of a log that misses records at the end lacks the hash that was kept', async () => {
    const sink = memorySink()
    const trail = createAuditTrail(sink)
    for (let n = 0; n < 5; n++) await trail.append({ n })
    const verdict = await verifyAuditLog(sink.lines)
    const kept = verdict.intact ? { hash: verdict.hash } : {}
    await trail.append({ n: 5 })
    expect(await verifyAuditLog(sink.lines, kept)).toMatchObject({ intact: true, records: 6 })
    for (let left = 0; left < 5; left++) {
      expect(await verifyAuditLog(sink.lines.slice(0, left))).toMatchObject({ intact: true, records: left })
      expect(await verifyAuditLog(sink.lines.slice(0, left), kept)).toMatchObject({ intact: false, records: left })
    }
  })

  test('detects any record that was changed, removed, moved or added', async () => {
    const sink = memorySink()
    const trail = createAuditTrail(sink)
    for (let n = 0; n < 8; n++) await trail.append({ n, text: 'pears' })
    const { lines } = sink
    const at = fc.integer({ min: 0, max: lines.length - 1 })
    const edits: fc.Arbitrary<string[]> = fc.oneof(
      at.map((i) => lines.map((line, k) => (k === i ? line.replace('pears', 'apples') : line))),
      fc.integer({ min: 0, max: lines.length - 2 }).map((i) => lines.toSpliced(i, 1)),
      fc
        .tuple(at, at)
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => lines.with(a, lines[b]!).with(b, lines[a]!)),
      at.map((i) => lines.toSpliced(i, 0, lines[i]!)),
      at.map((i) => lines.toSpliced(i, 0, '{"n":1}')),
    )
    await fc.assert(fc.asyncProperty(edits, async (edited) => !(await verifyAuditLog(edited)).intact))
    await appendFile(path, lines.join('\n'))
    expect((await verifyAuditLog(await linesOf())).intact).toBe(true)
  })
})
