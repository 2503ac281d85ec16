/** Lists of servers that start or are away: those that were listed last, for the same server, user and capabilities, and nothing that is switched off. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, connect, KEPT_META, UNAVAILABLE_META } from 'portcall/client'
import { createGateway, definitionPins, type Gateway, type GatewayOptions, type GatewayServerOptions } from 'portcall/gateway'
import type { Auth, Middleware } from 'portcall/jsonrpc'
import { memoryStores } from 'portcall/stores'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

/** Serves what a file says, as soon as the file says that it may start. */
const PROGRAM = `
const { readFileSync } = require('node:fs')
const read = () => JSON.parse(readFileSync(process.argv[1], 'utf8'))
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const answer = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo: { name: 'p', version: '1' }, instructions: read().instructions }),
  'tools/list': () => ({ tools: (read().tools ?? ['one', 'two']).map((name) => ({ name, description: read().description ?? 'd', inputSchema: { type: 'object' } })) }),
  'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
  'resources/list': () => ({ resources: [{ uri: 'file:///a', name: 'a' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'file:///{x}', name: 't' }] }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: name }] }),
}
const serve = () => require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) send({ id, result: answer[method]?.(params) ?? {} })
})
const wait = () => (read().held ? setTimeout(wait, 20) : serve())
if (read().exits) process.exit(3)
wait()
process.stdin.on('end', () => process.exit())`

interface Behavior {
  readonly held?: boolean
  readonly exits?: boolean
  readonly tools?: readonly string[]
  readonly description?: string
  readonly instructions?: string
}

/** A program whose behavior can be changed. */
function createProgram() {
  const directory = mkdtempSync(join(tmpdir(), 'portcall-kept-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'behavior.json')
  const behave = (behavior: Behavior): void => writeFileSync(file, JSON.stringify(behavior))
  behave({})
  return { behave, directory, target: { command: process.execPath, args: ['-e', PROGRAM, file] } }
}

type Program = ReturnType<typeof createProgram>

const QUICK = { listTimeoutMs: 200, startTimeoutMs: 20_000 }

interface Setting {
  readonly program?: Program
  readonly stores?: ReturnType<typeof memoryStores>
  readonly server?: Partial<GatewayServerOptions>
  readonly options?: Partial<GatewayOptions>
  readonly auth?: Auth
}

/** Runs a gateway and one client until the task has ended: each call is a gateway that was started again. */
function createRuns() {
  const program = createProgram()
  const stores = memoryStores()
  const run = async <T>(setting: Setting, task: (client: Client, gateway: Gateway) => Promise<T>): Promise<T> => {
    const { auth } = setting
    const identify: Middleware = (request, context, next) => next(request, auth ? { ...context, auth } : context)
    const gateway = createGateway({
      servers: { p: { ...QUICK, target: program.target, ...setting.server } },
      singleUser: auth === undefined,
      stores: setting.stores ?? stores,
      middleware: [identify],
      ...setting.options,
    })
    try {
      await using client = await connect(gateway)
      return await task(client, gateway)
    } finally {
      await gateway.close()
    }
  }
  return { program, stores, run }
}

const namesOf = async (client: Client): Promise<string[]> => (await client.tools().toArray()).map(({ name }) => name)
/** Lists everything once, and waits until it is kept. */
const listAll = async (client: Client): Promise<void> => {
  await client.tools().toArray()
  await client.prompts().toArray()
  await client.resources().toArray()
  await client.resourceTemplates().toArray()
}
/** Lists everything, and keeps it: what a gateway that was started before has done. */
async function keep({ run, stores }: ReturnType<typeof createRuns>, setting: Setting = {}): Promise<void> {
  const before = await stores.store.count('portcall:lists/')
  await run(setting, async (client) => {
    await listAll(client)
    await eventually(async () => expect(await stores.store.count('portcall:lists/')).toBeGreaterThan(before))
  })
}

describe.each([
  { state: 'starts', behavior: { held: true }, reason: 'still starting' },
  { state: 'is away', behavior: { exits: true }, reason: 'exited' },
])('a program that $state', ({ behavior, reason }) => {
  test('is listed with what it listed last, of every kind, and named', async () => {
    const runs = createRuns()
    runs.program.behave({ instructions: 'Use one.' })
    await keep(runs)
    runs.program.behave(behavior)
    await runs.run({}, async (client, gateway) => {
      expect((await client.discover()).instructions).toContain('Use one.')
      await eventually(async () => {
        const { tools, _meta } = (await client.request('tools/list', {})) as { tools: { name: string }[]; _meta: any }
        expect(tools.map(({ name }) => name)).toEqual(['p__one', 'p__two'])
        expect(Date.parse(_meta[KEPT_META].p)).toBeGreaterThan(Date.now() - 600_000)
        expect(_meta[UNAVAILABLE_META].p).toContain(reason)
      })
      expect(gateway.status().servers.p?.keptSince).toBeGreaterThan(Date.now() - 600_000)
      expect((await client.prompts().toArray()).map(({ name }) => name)).toEqual(['p__greet'])
      expect((await client.resources().toArray()).map(({ uri }) => uri)).toEqual(['file:///a'])
      expect((await client.resourceTemplates().toArray()).map(({ uriTemplate }) => uriTemplate)).toEqual(['file:///{x}'])
    })
  })
})

test('a call of a kept tool waits for the program, and its own list replaces the kept one', async () => {
  const runs = createRuns()
  await keep(runs)
  runs.program.behave({ held: true, tools: ['one', 'three'] })
  await runs.run({}, async (client, gateway) => {
    await using subscription = client.listen({ toolsListChanged: true })
    await subscription.acknowledged
    expect(await namesOf(client)).toEqual(['p__one', 'p__two'])
    const call = client.callTool('p__one')
    runs.program.behave({ tools: ['one', 'three'] })
    expect(await call).toMatchObject({ content: [{ text: 'one' }] })
    const changes = subscription[Symbol.asyncIterator]()
    expect((await changes.next()).value).toEqual({ type: 'tools' })
    await eventually(async () => expect(await namesOf(client)).toEqual(['p__one', 'p__three']))
    expect(gateway.status().servers.p?.keptSince).toBeUndefined()
  })
})

test('what is kept is what the program listed last', async () => {
  const runs = createRuns()
  await keep(runs)
  runs.program.behave({ tools: ['other'] })
  await runs.run({}, async (client) => {
    await eventually(async () => expect(await namesOf(client)).toEqual(['p__other']))
    // The store is written after the list is returned.
    await eventually(async () => {
      runs.program.behave({ held: true })
      expect(await runs.run({}, namesOf)).toEqual(['p__other'])
    })
  })
})

/** Everything that makes a kept list that of another server, user or client. */
const OTHERS: readonly (readonly [what: string, kept: Setting, now: (directory: string) => Setting])[] = [
  [
    'another variable of the environment',
    {},
    () => ({ server: { target: { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: { A: '1' } } } }),
  ],
  ['another user', { auth: { principal: 'ada' } }, () => ({ auth: { principal: 'bob' } })],
  ['nobody', { auth: { principal: 'ada' } }, () => ({})],
  ['other scopes', { auth: { principal: 'ada', scopes: ['a'] } }, () => ({ auth: { principal: 'ada', scopes: [] } })],
  [
    'other claims',
    { auth: { principal: 'ada', claims: { tenant: 1 } } },
    () => ({ auth: { principal: 'ada', claims: { tenant: 2 } } }),
  ],
  ['another store', {}, () => ({ stores: memoryStores() })],
  ['no store for lists', {}, () => ({ options: { listStore: false } })],
  ['a server that is required', {}, () => ({ server: { required: true, startTimeoutMs: 300 } })],
]

test.each(OTHERS)('a kept list is not offered to %s', async (_what, before, now) => {
  const runs = createRuns()
  await keep(runs, before)
  runs.program.behave({ held: true })
  const setting = now(runs.program.directory)
  const limited = { ...setting, server: { startTimeoutMs: 300, ...setting.server } }
  const names = await runs.run(limited, namesOf).catch(() => [])
  expect(names).toEqual([])
})

test('lists of connections with credentials that are not in the options are not kept', async () => {
  const runs = createRuns()
  const credentials = () => ({ headers: { authorization: 'Bearer x' } })
  await runs.run({ options: { credentials } }, listAll)
  expect(await runs.stores.store.count('portcall:lists/')).toBe(0)
})

test('a kept list passes filters, middleware and policies of now', async () => {
  const runs = createRuns()
  await keep(runs)
  runs.program.behave({ held: true })
  expect(await runs.run({ server: { tools: { exclude: ['one'] } } }, namesOf)).toEqual(['p__two'])
  const policy = { visible: ({ name }: { name: string }) => name !== 'two' }
  expect(await runs.run({ options: { policy } }, namesOf)).toEqual(['p__one'])
  const withoutOne: Middleware = async (request, context, next) => {
    const response = await next(request, context)
    if (request.method !== 'tools/list' || !('result' in response)) return response
    const tools = (response.result.tools as { name: string }[]).filter(({ name }) => name !== 'one')
    return { ...response, result: { ...response.result, tools } }
  }
  expect(await runs.run({ server: { middleware: [withoutOne] } }, namesOf)).toEqual(['p__two'])
  expect(await runs.run({ server: { disabled: true } }, namesOf)).toEqual([])
  expect(await runs.run({ options: { servers: {} } }, namesOf)).toEqual([])
})

test('pins decide about kept lists, and are not made of them', async () => {
  const runs = createRuns()
  runs.program.behave({ description: 'changed' })
  await keep(runs)
  const lock = join(runs.program.directory, 'portcall.lock')
  const pinned = { options: { policy: definitionPins({ lock }) } }
  runs.program.behave({ held: true })
  expect(await runs.run({ ...pinned, server: { startTimeoutMs: 300 } }, namesOf)).toEqual([])
  runs.program.behave({ description: 'first' })
  expect(await runs.run(pinned, namesOf)).toEqual(['p__one', 'p__two'])
  runs.program.behave({ description: 'changed' })
  await runs.run(pinned, (client) => eventually(async () => expect(await namesOf(client)).toEqual([])))
  runs.program.behave({ held: true })
  expect(await runs.run({ ...pinned, server: { startTimeoutMs: 300 } }, namesOf)).toEqual([])
})

test('clients with many different capabilities take one entry of the store', async () => {
  const runs = createRuns()
  await keep(runs)
  await runs.run({}, async (_client, gateway) => {
    for (let set = 0; set < 20; set++) {
      const capabilities = { experimental: { [`x${set}`]: {} } }
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      }
      const context = { signal: new AbortController().signal, notify: () => {} }
      await gateway.exchange({ jsonrpc: '2.0', id: set, method: 'tools/list', params: { _meta } }, context)
    }
    const [key = ''] = await runs.stores.store.list('portcall:lists/')
    await eventually(async () => expect((await runs.stores.store.get(key))?.length).toBeGreaterThan(2000))
  })
  const keys = await runs.stores.store.list('portcall:lists/')
  expect(keys).toHaveLength(1)
  expect((await runs.stores.store.get(keys[0] ?? ''))?.length).toBeLessThan(20_000)
})

test.each(['', 'text', '{}', '{"lists":{},"sets":[{}]}', '{"lists":{"a":[7]},"sets":[]}', '[]', 'null'])(
  'a store that answers %j has kept nothing',
  async (text) => {
    const runs = createRuns()
    const listStore = { get: async () => text, set: async () => {} }
    expect(await runs.run({ options: { listStore } }, namesOf)).toEqual(['p__one', 'p__two'])
  },
)

test('a store that fails or does not answer delays no list for long', async () => {
  const runs = createRuns()
  for (const get of [() => Promise.reject(new Error('away')), () => new Promise<undefined>(() => {})]) {
    const listStore = { get, set: () => Promise.reject(new Error('away')) }
    expect(await runs.run({ options: { listStore } }, namesOf)).toEqual(['p__one', 'p__two'])
  }
})

test('what a gateway has listed just before it closes is kept', async () => {
  const runs = createRuns()
  await runs.run({}, listAll)
  runs.program.behave({ held: true })
  expect(await runs.run({}, namesOf)).toEqual(['p__one', 'p__two'])
})
