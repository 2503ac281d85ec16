import { spawnSync } from 'node:child_process'
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { withFileLock } from './file-lock.ts'

async function createFolder(): Promise<string> {
  const folder = temporaryFolder()
  return folder
}

test('tasks take turns, and leave nothing behind', async () => {
  const folder = await createFolder()
  const file = join(folder, 'count')
  await writeFile(file, '0')
  const increment = (): Promise<void> =>
    withFileLock(join(folder, 'lock'), async () => writeFile(file, String(Number(await readFile(file, 'utf8')) + 1)))
  await Promise.all(Array.from({ length: 20 }, increment))
  expect(await readFile(file, 'utf8')).toBe('20')
  expect(await readdir(folder)).toEqual(['count'])
})

test('the lock of a process that has ended is removed at once, that of a running one is not', async () => {
  const folder = await createFolder()
  const lock = join(folder, 'lock')
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  await writeFile(lock, `${pid} id ${hostname()}`)
  expect(await withFileLock(lock, async () => 'done')).toBe('done')
  await writeFile(lock, `${process.pid} id ${hostname()}`)
  const past = new Date(Date.now() - 8000)
  await utimes(lock, past, past)
  let isDone = false
  const waiting = withFileLock(lock, async () => void (isDone = true))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isDone).toBe(false)
  await rm(lock)
  await waiting
})
