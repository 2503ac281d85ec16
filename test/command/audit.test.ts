import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAuditTrail } from 'portcall/middleware'
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
  expect(await portcall(['audit', 'verify', file])).toMatchObject({ code: 0, out: `${file} is intact: 3 records\n` })
  await writeFile(file, log.replace('delete', 'remove'))
  const edited = await portcall(['audit', 'verify', file])
  expect(edited).toMatchObject({
    code: 1,
    out: `${file} is not intact: line 3: It was changed. 2 records before it are intact\n`,
  })
  const json = await portcall(['audit', 'verify', file, '--json'])
  expect(JSON.parse(json.out)).toEqual({ intact: false, records: 2, reason: 'It was changed' })
})

test('audit needs an action and a file that can be read', async () => {
  expect(await portcall(['audit', 'check', file])).toMatchObject({ code: 2 })
  const missing = await portcall(['audit', 'verify', file])
  expect(missing.code).toBe(2)
  expect(missing.err).toContain('cannot be read: ENOENT')
})
