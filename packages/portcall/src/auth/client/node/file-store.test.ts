import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { onTestEnd } from '../../../../test-kit/scripted-server.ts'
import { storeContract } from '../../../testing/contracts/store-contract.ts'
import { fileStore } from '../lazy-file-store.ts'
import { createFileStore } from './file-store.ts'

async function temporaryPath(name = 'tokens.json'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-file-store-'))
  onTestEnd(() => rm(folder, { recursive: true, force: true }))
  return join(folder, name)
}

describe('the store contract', () => {
  storeContract({
    test,
    async create() {
      const start = Date.now()
      let passed = 0
      const now = vi.spyOn(Date, 'now').mockImplementation(() => start + passed)
      onTestEnd(() => now.mockRestore())
      const advance = (ms: number): void => void (passed += ms)
      return { subject: createFileStore(await temporaryPath()), advance }
    },
  })
})

test('creates the file with its folders, and leaves no other files', async () => {
  const path = await temporaryPath(join('deep', 'down', 'tokens.json'))
  const store = fileStore(path)
  expect(await store.get('key')).toBeUndefined()
  await store.set('key', 'secret')
  expect(await store.get('key')).toBe('secret')
  expect(await readdir(join(path, '..'))).toEqual(['tokens.json'])
})

// Windows has no modes: the folder of the user protects the file.
test.skipIf(process.platform === 'win32')('only the owner can read the file', async () => {
  const path = await temporaryPath(join('deep', 'down', 'tokens.json'))
  const store = fileStore(path)
  await store.set('key', 'secret')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
  await chmod(path, 0o644)
  await store.set('key', 'secret too')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('keeps the concurrent changes of several stores', async () => {
  const path = await temporaryPath()
  const stores = Array.from({ length: 4 }, () => createFileStore(path))
  await Promise.all(stores.flatMap((store, at) => [1, 2, 3, 4, 5].map((count) => store.set(`${at} ${count}`, 'x'))))
  expect(Object.keys(JSON.parse(await readFile(path, 'utf8'))).length).toBe(20)
})

test('lets one of several concurrent compareAndSet calls succeed', async () => {
  const path = await temporaryPath()
  const stores = Array.from({ length: 10 }, () => createFileStore(path))
  const results = await Promise.all(
    stores.map((store, at) => store.compareAndSet('lock', { expected: undefined, value: String(at) })),
  )
  expect(results.filter(Boolean).length).toBe(1)
})

test('replaces a file with other content', async () => {
  const path = await temporaryPath()
  for (const text of ['', 'not json', '[1]', '{"key": 7}', '{"key": {"value": 7}}', '"x"']) {
    await writeFile(path, text)
    const store = createFileStore(path)
    expect(await store.get('key')).toBeUndefined()
    await store.set('key', 'x')
    expect(await store.get('key')).toBe('x')
  }
})

test('removes an abandoned lock', async () => {
  const path = await temporaryPath()
  const lock = `${path}.lock`
  await writeFile(lock, 'another process')
  const [past] = [new Date(Date.now() - 60_000)]
  await utimes(lock, past, past)
  const stores = Array.from({ length: 5 }, () => createFileStore(path))
  await Promise.all(stores.map((store, at) => store.set(String(at), 'x')))
  expect(Object.keys(JSON.parse(await readFile(path, 'utf8'))).length).toBe(5)
  expect(await readdir(join(path, '..'))).toEqual(['tokens.json'])
})

test('waits for a lock', async () => {
  const path = await temporaryPath()
  await writeFile(`${path}.lock`, 'another process')
  const set = createFileStore(path).set('key', 'x')
  expect(await Promise.race([set.then(() => 'written'), new Promise((resolve) => setTimeout(resolve, 50, 'waits'))])).toBe(
    'waits',
  )
  await rm(`${path}.lock`)
  await set
})
