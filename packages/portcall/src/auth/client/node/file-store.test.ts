import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { cleanup } from '../../../../test-kit/peer.ts'
import { storeContract } from '../../../testing/store-contract.ts'
import { fileStore } from '../file.ts'
import { createFileStore } from './file-store.ts'

async function place(name = 'tokens.json'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-file-store-'))
  cleanup(() => rm(folder, { recursive: true, force: true }))
  return join(folder, name)
}

describe('the contract', () => {
  storeContract({
    test,
    async create() {
      const start = Date.now()
      let passed = 0
      const now = vi.spyOn(Date, 'now').mockImplementation(() => start + passed)
      cleanup(() => now.mockRestore())
      const advance = (ms: number): void => void (passed += ms)
      return { subject: createFileStore(await place()), advance }
    },
  })
})

test('only its owner can read it, wherever it is made, and nothing is left beside it', async () => {
  const path = await place(join('deep', 'down', 'tokens.json'))
  const store = fileStore(path)
  expect(await store.get('key')).toBeUndefined()
  await store.set('key', 'secret')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
  await chmod(path, 0o644)
  await store.set('key', 'secret too')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(join(path, '..'))).toEqual(['tokens.json'])
})

test('changes of many who share it are all there', async () => {
  const path = await place()
  const stores = Array.from({ length: 4 }, () => createFileStore(path))
  await Promise.all(stores.flatMap((store, at) => [1, 2, 3, 4, 5].map((count) => store.set(`${at} ${count}`, 'x'))))
  expect(Object.keys(JSON.parse(await readFile(path, 'utf8'))).length).toBe(20)
})

test('of many who take the same thing one gets it', async () => {
  const path = await place()
  const stores = Array.from({ length: 10 }, () => createFileStore(path))
  const won = await Promise.all(stores.map((store, at) => store.swap('lock', { expected: undefined, value: String(at) })))
  expect(won.filter(Boolean).length).toBe(1)
})

test('a file that is none of ours holds nothing, and is replaced', async () => {
  const path = await place()
  for (const text of ['', 'not json', '[1]', '{"key": 7}', '{"key": {"value": 7}}', '"x"']) {
    await writeFile(path, text)
    const store = createFileStore(path)
    expect(await store.get('key')).toBeUndefined()
    await store.set('key', 'x')
    expect(await store.get('key')).toBe('x')
  }
})

test('a lock that was left behind is broken after a while, by one of those who wait', async () => {
  const path = await place()
  const lock = `${path}.lock`
  await writeFile(lock, 'somebody')
  const [past] = [new Date(Date.now() - 60_000)]
  await utimes(lock, past, past)
  const stores = Array.from({ length: 5 }, () => createFileStore(path))
  await Promise.all(stores.map((store, at) => store.set(String(at), 'x')))
  expect(Object.keys(JSON.parse(await readFile(path, 'utf8'))).length).toBe(5)
  expect(await readdir(join(path, '..'))).toEqual(['tokens.json'])
})

test('a lock that is held is waited for', async () => {
  const path = await place()
  await writeFile(`${path}.lock`, 'somebody')
  const set = createFileStore(path).set('key', 'x')
  expect(await Promise.race([set.then(() => 'written'), new Promise((resolve) => setTimeout(resolve, 50, 'waits'))])).toBe(
    'waits',
  )
  await rm(`${path}.lock`)
  await set
})
