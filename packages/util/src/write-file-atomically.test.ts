import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeFileAtomically } from './write-file-atomically.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcall-write-'))
  path = join(folder, 'state.json')
})
afterEach(() => rm(folder, { recursive: true }))

test('it replaces a file, and leaves nothing else behind', async () => {
  await writeFile(path, 'before')
  await writeFileAtomically(path, 'after', { mode: 0o600 })
  expect(await readFile(path, 'utf8')).toBe('after')
  expect(await readdir(folder)).toEqual(['state.json'])
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('writers at the same time do not disturb each other', async () => {
  const texts = Array.from({ length: 20 }, (_, at) => `${at}`.repeat(10_000))
  await Promise.all(texts.map((text) => writeFileAtomically(path, text)))
  expect(texts).toContain(await readFile(path, 'utf8'))
  expect(await readdir(folder)).toEqual(['state.json'])
})

test('a file stays as it was when it must not be replaced', async () => {
  await writeFile(path, 'before')
  const beforeReplace = (): Promise<void> => Promise.reject(new Error('changed'))
  await expect(writeFileAtomically(path, 'after', { beforeReplace })).rejects.toThrow('changed')
  expect(await readFile(path, 'utf8')).toBe('before')
  expect(await readdir(folder)).toEqual(['state.json'])
})
