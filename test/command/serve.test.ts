import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, connect } from 'portcall/client'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { COMMAND, DEMO, ended, portcall, said, start } from './support/portcall.ts'

const HERE = fileURLToPath(new URL('build/serve/', import.meta.url))
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
afterAll(() => rm(HERE, { recursive: true, force: true }))

let module: string
let number = 0
beforeEach(async () => {
  const folder = join(HERE, String((number += 1)))
  await mkdir(folder, { recursive: true })
  module = join(folder, 'server.mjs')
  await write(1)
})

/** Writes a server whose tool tells its version. */
const write = (version: number, before = ''): Promise<void> =>
  writeFile(
    module,
    `${before}\nimport { createServer } from 'portcall'
console.log('loaded ${version}')
export default createServer({ name: 'watched', version: '${version}' }).tool('version', {}, () => 'version ${version}')\n`,
  )
const textOf = async (client: Client, name: string): Promise<unknown> => (await client.callTool(name)).content[0]

describe('once', () => {
  test('over HTTP, on a port that is free; SIGTERM ends it', async () => {
    const child = start(['serve', DEMO, '--port', '0'])
    const end = ended(child)
    const [, url = ''] = await said(child.stdout, /Listening at (\S+)/)
    expect((await portcall(['call', url, 'greet', 'name=Ada'])).out).toBe('Hello, Ada!\n')
    child.kill('SIGTERM')
    expect(await end).toMatchObject({ code: 0, out: `Listening at ${url}\n`, err: expect.stringContaining('the module speaks') })
  })

  test('over stdio; what the module prints does not disturb', async () => {
    expect(
      await portcall(['call', 'greet', 'name=Ada', '--', process.execPath, COMMAND, 'serve', DEMO, '--stdio']),
    ).toMatchObject({
      code: 0,
      out: 'Hello, Ada!\n',
    })
  })

  test('what cannot be served', async () => {
    expect(await portcall(['serve', '/no/such.js'])).toMatchObject({ code: 2, err: expect.stringContaining('there is no file') })
    expect(await portcall(['serve', DEMO, '--port', '0', '--host', '0.0.0.0'])).toMatchObject({ code: 2 })
    await writeFile(module, 'export const nothing = 1')
    expect(await portcall(['serve', module])).toMatchObject({ code: 4, err: expect.stringContaining('exports no server') })
    await writeFile(module, 'this is no code')
    expect(await portcall(['serve', module])).toMatchObject({ code: 4, err: expect.stringContaining('cannot be loaded') })
  })
})

/** Connects to a watched module over HTTP or stdio. */
async function watched(way: string, revision: string): Promise<Client> {
  const args = ['serve', module, '--watch']
  if (way === 'stdio') {
    const client = await connect({ command: process.execPath, args: [COMMAND, ...args, '--stdio'] }, { revision })
    cleanups.push(client.close)
    return client
  }
  const child = start([...args, '--port', '0'])
  const end = ended(child)
  cleanups.push(
    () => end,
    () => child.kill(),
  )
  const [, url = ''] = await said(child.stdout, /Listening at (\S+)/)
  const client = await connect(url, { revision })
  cleanups.push(client.close)
  return client
}

describe.each(
  REVISIONS.flatMap((revision) => [
    ['http', revision],
    ['stdio', revision],
  ]),
)('watched over %s, %s', (way, revision) => {
  test('a change is heard of on a connection that stays, and a broken one leaves what was', async () => {
    const client = await watched(way!, revision!)
    expect(await textOf(client, 'version')).toMatchObject({ text: 'version 1' })
    const changes = client.listen({ toolsListChanged: true })
    const next = changes[Symbol.asyncIterator]()
    await changes.honoured
    await write(2)
    expect((await next.next()).value).toEqual({ type: 'tools' })
    expect(await textOf(client, 'version')).toMatchObject({ text: 'version 2' })
    await write(3, 'this is no code')
    await write(4)
    await next.next()
    expect(await textOf(client, 'version')).toMatchObject({ text: 'version 4' })
  })
})
