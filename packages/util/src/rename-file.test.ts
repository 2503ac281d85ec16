import { readFileSync, writeFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { renameFile } from './rename-file.ts'

/** Fails with a code a number of times before it renames. */
function createBusyRename(code: string, times: number): { rename: typeof rename; calls: () => number } {
  let calls = 0
  return {
    rename: async (from, to) => {
      calls += 1
      if (calls <= times) throw Object.assign(new Error(code), { code })
      await rename(from, to)
    },
    calls: () => calls,
  }
}

function createFiles(): { from: string; to: string } {
  const folder = temporaryFolder()
  const files = { from: join(folder, 'new'), to: join(folder, 'old') }
  writeFileSync(files.from, 'new')
  writeFileSync(files.to, 'old')
  return files
}

test.each(['EPERM', 'EACCES', 'EBUSY'])('on Windows, a rename that fails with %s is repeated', async (code) => {
  const { from, to } = createFiles()
  const busy = createBusyRename(code, 3)
  await renameFile(from, to, { platform: 'win32', rename: busy.rename })
  expect(readFileSync(to, 'utf8')).toBe('new')
  expect(busy.calls()).toBe(4)
})

test.each([
  ['win32', 'ENOENT'],
  ['linux', 'EPERM'],
] as const)('on %s, a rename that fails with %s is not repeated', async (platform, code) => {
  const { from, to } = createFiles()
  const busy = createBusyRename(code, 1)
  await expect(renameFile(from, to, { platform, rename: busy.rename })).rejects.toThrow(code)
  expect(busy.calls()).toBe(1)
  expect(readFileSync(to, 'utf8')).toBe('old')
})
