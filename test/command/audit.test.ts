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
