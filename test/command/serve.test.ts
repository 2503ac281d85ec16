import { once } from 'node:events'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Client, connect } from 'portcall/client'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { COMMAND, DEMO, portcall, start, untilExit, untilOutput } from './support/portcall.ts'

const BUILD = fileURLToPath(new URL('build/serve/', import.meta.url))
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})
afterAll(() => rm(BUILD, { recursive: true, force: true }))

let module: string
let number = 0
beforeEach(async () => {
  const dir = join(BUILD, String((number += 1)))
  await mkdir(dir, { recursive: true })
  module = join(dir, 'server.mjs')
  await write(1)
})

/** Writes a server with a tool that returns its version. */
const write = (version: number, before = ''): Promise<void> =>
  writeFile(
    module,
    `${before}\nimport { createServer } from 'portcall'
console.log('loaded ${version}')
export default createServer({ name: 'watched', version: '${version}' }).tool('version', {}, () => 'version ${version}')\n`,
  )
const textOf = async (client: Client, name: string): Promise<unknown> => (await client.callTool(name)).content[0]

describe('without --watch', () => {
  test('on the port of the variable PORT, unless --port names another', async () => {
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as AddressInfo
    await new Promise((resolve) => free.close(resolve))
    for (const [args, expected] of [
      [[], `:${port}/`],
      [['--port', '0'], ':'],
    ] as const) {
      const child = start(['serve', DEMO, ...args], { env: { PORT: `${port}` } })
      const end = untilExit(child)
      const [, url = ''] = await untilOutput(child.stdout, /Listening at (\S+)/)
      expect(url).toContain(expected)
      if (args.length > 0) expect(url).not.toContain(`:${port}/`)
      child.kill('SIGTERM')
      await end
    }
    expect(await portcall(['serve', DEMO], { env: { PORT: 'x' } })).toMatchObject({
      code: 2,
      err: expect.stringContaining('PORT must be a port number, not x'),
    })
  })

  test('over HTTP, on a free port; SIGTERM ends it', async () => {
    const child = start(['serve', DEMO, '--port', '0'])
    const end = untilExit(child)
    const [, url = ''] = await untilOutput(child.stdout, /Listening at (\S+)/)
    expect((await portcall(['call', url, 'greet', 'name=Ada'])).out).toBe('Hello, Ada!\n')
    child.kill('SIGTERM')
    expect(await end).toMatchObject({ code: 0, out: `Listening at ${url}\n`, err: expect.stringContaining('the module prints') })
  })

  test('with --workers, several processes; SIGTERM ends all', async () => {
    const child = start(['serve', DEMO, '--port', '0', '--workers', '2'])
    const end = untilExit(child)
    const [, url = ''] = await untilOutput(child.stdout, /Listening at (\S+)/)
    for (let call = 0; call < 2; call++) expect((await portcall(['call', url, 'greet', 'name=Ada'])).out).toBe('Hello, Ada!\n')
    child.kill('SIGTERM')
    expect(await end).toMatchObject({ code: 0, out: `Listening at ${url}\n` })
    for (const wrong of [
      ['--workers', '0'],
      ['--workers', '2', '--stdio'],
      ['--workers', '2', '--watch'],
    ])
      expect(await portcall(['serve', DEMO, ...wrong])).toMatchObject({ code: 2, err: expect.stringContaining('--workers') })
  })

  test('over stdio; output of the module does not disturb it', async () => {
    expect(
      await portcall(['call', 'greet', 'name=Ada', '--', process.execPath, COMMAND, 'serve', DEMO, '--stdio']),
    ).toMatchObject({
      code: 0,
      out: 'Hello, Ada!\n',
    })
  })

  test('invalid modules and options', async () => {
    expect(await portcall(['serve', '/no/such.js'])).toMatchObject({ code: 2, err: expect.stringContaining('no such file') })
    expect(await portcall(['serve', DEMO, '--port', '0', '--host', '0.0.0.0'])).toMatchObject({ code: 2 })
    await writeFile(module, 'export const nothing = 1')
    expect(await portcall(['serve', module])).toMatchObject({ code: 4, err: expect.stringContaining('exports no server') })
    await writeFile(module, 'throw new Error("not now")')
    expect(await portcall(['serve', module])).toMatchObject({
      code: 4,
      err: expect.stringMatching(/^portcall: cannot load .*\n +at /),
    })
    // The error of a module that cannot be parsed does not say where: neither in the module itself nor in one that it imports.
    const broken = `${module}-broken.mjs`
    await writeFile(broken, 'const a = 1\nexport const b = (\nexport default a')
    await writeFile(module, `console.error('it runs')\nimport ${JSON.stringify(broken)}`)
    const { code, err } = await portcall(['serve', module])
    expect({ code, err }).toEqual({
      code: 4,
      err: expect.stringMatching(/^portcall: cannot load .*: SyntaxError: .*\n.*-broken\.mjs:3\n +export default a/),
    })
    expect(err).not.toContain('it runs')
  })
})

/** Connects to a watched module over HTTP or stdio. */
async function connectToWatched(transport: string, protocolVersion: string): Promise<Client> {
  const args = ['serve', module, '--watch']
  if (transport === 'stdio') {
    const client = await connect({ command: process.execPath, args: [COMMAND, ...args, '--stdio'] }, { protocolVersion })
    cleanups.push(client.close)
    return client
  }
  const child = start([...args, '--port', '0'])
  const end = untilExit(child)
  cleanups.push(
    () => end,
    () => child.kill(),
  )
  const [, url = ''] = await untilOutput(child.stdout, /Listening at (\S+)/)
  const client = await connect(url, { protocolVersion })
  cleanups.push(client.close)
  return client
}

describe.each(
  REVISIONS.flatMap((version) => [
    ['http', version],
    ['stdio', version],
  ]),
)('with --watch, over %s, %s', (transport, version) => {
  test('a change is reported on an open connection, and a broken module leaves the previous version in place', async () => {
    const client = await connectToWatched(transport!, version!)
    expect(await textOf(client, 'version')).toMatchObject({ text: 'version 1' })
    const changes = client.listen({ toolsListChanged: true })
    const next = changes[Symbol.asyncIterator]()
    await changes.acknowledged
    await write(2)
    expect((await next.next()).value).toEqual({ type: 'tools' })
    expect(await textOf(client, 'version')).toMatchObject({ text: 'version 2' })
    await write(3, 'this is not code')
    await write(4)
    await next.next()
    expect(await textOf(client, 'version')).toMatchObject({ text: 'version 4' })
  })
})

describe('with --watch, whatever changes', () => {
  const source = (text: string): string => `import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'portcall'
import settings from './settings.json' with { type: 'json' }
import { shared } from '../shared-${number}.mjs'
const state = new URL('state.json', import.meta.url)
let calls = 0
export default createServer({ name: 'watched', version: '1' })
  .tool('version', {}, () => \`${text} \${settings.name} \${shared}\`)
  .tool('count', {}, () => { writeFileSync(state, JSON.stringify(++calls)); return readFileSync(state, 'utf8') })\n`
  const replace = async (path: string, text: string): Promise<void> => {
    await writeFile(`${path}.tmp`, text)
    await rename(`${path}.tmp`, path)
  }

  test('each save is loaded, and so is each file that the module imports; what it only writes is data', async () => {
    const settings = join(dirname(module), 'settings.json')
    const shared = join(BUILD, `shared-${number}.mjs`)
    await writeFile(settings, '{"name":"a"}')
    await writeFile(shared, 'export const shared = 1')
    await writeFile(module, source('v0'))
    const client = await connectToWatched('stdio', '2026-07-28')
    const serves = (text: string): Promise<void> =>
      eventually(async () => expect(await textOf(client, 'version')).toMatchObject({ text }))
    await serves('v0 a 1')
    for (const version of [1, 2, 3]) {
      await replace(module, source(`v${version}`))
      await serves(`v${version} a 1`)
    }
    await writeFile(module, source('v4'))
    await serves('v4 a 1')
    for (const name of ['b', 'c']) {
      await replace(settings, `{"name":"${name}"}`)
      await serves(`v4 ${name} 1`)
    }
    for (const value of [2, 3]) {
      await replace(shared, `export const shared = ${value}`)
      await serves(`v4 c ${value}`)
    }
    for (const calls of ['1', '2', '3']) expect(await textOf(client, 'count')).toMatchObject({ text: calls })
    // The state of the module is kept until the next change of code: a reload would have come before it.
    await replace(module, `// ${source('v5')}`.replace('// import', 'import'))
    await serves('v5 c 3')
  })
})
