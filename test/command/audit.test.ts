import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuditTrail, createStoredAuditLog } from 'portcall/middleware'
import { sqliteStores } from 'portcall/stores/sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { portcall } from './support/portcall.ts'

let folder = ''
let file = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'))
  file = join(folder, 'audit.jsonl')
})
afterEach(() => rm(folder, { recursive: true }))

test('audit verify checks the records of a log', async () => {
  let log = ''
  const trail = createAuditTrail({ append: async (lines) => void (log += lines), last: async () => undefined })
  for (const target of ['read', 'a\u2028b', 'delete']) await trail.append({ target })
  await writeFile(file, log)
  expect(await portcall(['audit', 'verify', file])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/ is intact: 3 records, hash [\w-]{43}\n$/),
  })
  await writeFile(file, log.replace('delete', 'remove'))
  const edited = await portcall(['audit', 'verify', file])
  expect(edited).toMatchObject({
    code: 1,
    out: `${file} is not intact: line 3: It was changed. 2 records before it are intact\n`,
  })
  const json = await portcall(['audit', 'verify', file, '--json'])
  expect(JSON.parse(json.out)).toEqual({ intact: false, records: 2, reason: 'It was changed' })
})

test.skipIf(process.platform === 'win32')(
  'a log stays intact when its disk is full, and continues when there is space again',
  async () => {
    const program = `
    import { auditLog } from 'portcall/middleware'
    const [, file, count] = process.argv
    const log = auditLog({ to: file, arguments: (args) => args, onError: () => {} })
    const context = { signal: new AbortController().signal, notify() {} }
    const outcomes = []
    for (let id = 1; id <= Number(count); id++) {
      const params = { name: 'search', arguments: { text: 'x'.repeat(1000) } }
      const call = log({ jsonrpc: '2.0', id, method: 'tools/call', params }, context, async () => ({ jsonrpc: '2.0', id, result: {} }))
      outcomes.push(await call.then(() => 'ok', ({ code }) => code))
    }
    console.log(outcomes.join(' '))`
    // A process that may not write larger files gets part of a record written, and then an error, as on a full disk.
    const record = (count: number, limit: string): string[] => {
      const args = [
        '-c',
        `ulimit -f ${limit} && exec "$@"`,
        'sh',
        process.execPath,
        '--input-type=module',
        '-e',
        program,
        file,
        `${count}`,
      ]
      return spawnSync('sh', args, { cwd: import.meta.dirname, encoding: 'utf8' })
        .stdout.trim()
        .split(' ')
    }
    const outcomes = record(12, '16')
    const written = outcomes.filter((outcome) => outcome === 'ok').length
    expect(written).toBeGreaterThan(2)
    expect(outcomes.slice(written)).toEqual(new Array(12 - written).fill('EFBIG'))
    expect(await portcall(['audit', 'verify', file])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${written} records`),
    })
    expect(record(2, 'unlimited')).toEqual(['ok', 'ok'])
    expect(await portcall(['audit', 'verify', file])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${written + 2} records`),
    })
  },
)

test('audit verify checks a log in a store, and that the hash of an earlier run is in it', async () => {
  const url = `sqlite:${join(folder, 'audit.db')}`
  const stores = sqliteStores(join(folder, 'audit.db'))
  const log = createStoredAuditLog(stores.store, { name: 'calls' })
  const trail = createAuditTrail(log)
  for (const target of ['read', 'write', 'delete']) await trail.append({ target })
  const { out } = await portcall(['audit', 'verify', url, '--name', 'calls'])
  expect(out).toContain('is intact: 3 records')
  const hash = out.trim().split(' ').at(-1) ?? ''
  expect(await portcall(['audit', 'verify', url, '--name', 'calls', `--hash=${hash}`])).toMatchObject({ code: 0 })
  const [last = ''] = (await stores.store.list('portcall:calls:records:')).slice(-1)
  await stores.store.delete(last)
  expect(await portcall(['audit', 'verify', url, '--name', 'calls'])).toMatchObject({ code: 0 })
  const truncated = await portcall(['audit', 'verify', url, '--name', 'calls', `--hash=${hash}`])
  expect(truncated).toMatchObject({ code: 1, out: expect.stringContaining('Records are missing') })
  await stores.close()
})

test('audit needs an action and a file that can be read', async () => {
  expect(await portcall(['audit', 'check', file])).toMatchObject({ code: 2 })
  const missing = await portcall(['audit', 'verify', file])
  expect(missing.code).toBe(2)
  expect(missing.err).toContain('no such file')
})
