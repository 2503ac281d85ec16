import { describe, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../client/types.ts'
import { connect } from '../../connect/connect.ts'
import { ConnectionLostError } from '../../jsonrpc/errors.ts'
import { type Auth, deriveContext, type Exchange } from '../../jsonrpc/exchange.ts'
import type { Response } from '../../jsonrpc/message.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/types.ts'
import { tasks as clientTasks } from '../../tasks/client/extension.ts'
import { tasks } from '../../tasks/server/extension.ts'
import type { GatewayEvent } from '../api/events.ts'
import { createGateway } from '../gateway.ts'
import { accessRules } from './access-rules.ts'
import type { AccessRule, RuleAction } from './rule.ts'
import type { GatewayCaller, GatewayPolicy } from './types.ts'

const TOOLS = ['read', 'read_all', 'delete', 'delete_all', 'pay'] as const
const NAME = { type: 'object', properties: { name: { type: 'string' } } } as const
const CALLER: GatewayCaller = { capabilities: {} }

function createCrm(): Server {
  const server = createServer({ name: 'crm', version: '1' })
    .prompt('greet', { arguments: NAME, complete: { name: () => ['Ada'] } }, ({ name }) => `Hello, ${String(name)}`)
    .prompt('secret', { arguments: NAME, complete: { name: () => ['Ada'] } }, () => 'secret')
    .resource('file:///public/a.txt', { name: 'a' }, () => 'a')
    .resource('file:///secret/b.txt', { name: 'b' }, () => 'b')
    .resource('db:///{table}', { name: 'table' }, ({ table }) => table)
  for (const name of TOOLS)
    server.tool(
      name,
      { input: { type: 'object' }, annotations: { readOnlyHint: name.startsWith('read') } },
      (args) => `${name} ${JSON.stringify(args)}`,
    )
  return server
}

async function open(policy: GatewayPolicy): Promise<Client> {
  const gateway = createGateway({ servers: { crm: createCrm(), files: createCrm() }, policy })
  const client = await connect(gateway)
  onTestFinished(async () => {
    await client.close()
    await gateway.close()
  })
  return client
}

const namesOf = async (client: Client): Promise<string[]> => (await client.tools().toArray()).map(({ name }) => name)
const decisionOf = (rules: readonly AccessRule[], fallback: RuleAction, [server, name]: readonly [string, string]): boolean =>
  accessRules({ default: fallback, rules }).visible?.({ server, kind: 'tool', name, definition: {} }, CALLER) ?? true

describe('the strictest matching rule decides', () => {
  test('whatever the order', () => {
    const rules: AccessRule[] = [
      { tools: '*', do: 'allow' },
      { tools: 'delete*', do: 'deny' },
      { tools: 'delete_draft', do: 'allow' },
    ]
    for (const order of [rules, rules.toReversed()]) {
      expect(decisionOf(order, 'deny', ['crm', 'read'])).toBe(true)
      expect(decisionOf(order, 'deny', ['crm', 'delete_draft'])).toBe(false)
    }
  })

  test('and the default if none matches', () => {
    expect(decisionOf([], 'allow', ['crm', 'read'])).toBe(true)
    expect(decisionOf([], 'deny', ['crm', 'read'])).toBe(false)
    expect(decisionOf([{ tools: 'read', do: 'allow' }], 'deny', ['crm', 'write'])).toBe(false)
  })

  test('by server: in a condition, or at the beginning of a pattern', () => {
    expect(decisionOf([{ tools: 'crm__delete*', do: 'deny' }], 'allow', ['crm', 'delete_all'])).toBe(false)
    expect(decisionOf([{ tools: 'crm__delete*', do: 'deny' }], 'allow', ['files', 'delete_all'])).toBe(true)
    expect(decisionOf([{ servers: 'f*', tools: 'delete*', do: 'deny' }], 'allow', ['files', 'delete_all'])).toBe(false)
    expect(decisionOf([{ servers: 'f*', tools: 'a__b', do: 'deny' }], 'allow', ['files', 'a__b'])).toBe(false)
  })

  test('a name that looks like that of another server is denied, but not allowed', () => {
    expect(decisionOf([{ tools: 'crm__read', do: 'allow' }], 'deny', ['evil', 'crm__read'])).toBe(false)
    expect(decisionOf([{ tools: 'crm__read', do: 'deny' }], 'allow', ['evil', 'crm__read'])).toBe(false)
  })

  test('by principal, scopes and claims', () => {
    const isAllowed = (rule: Omit<AccessRule, 'do'>, auth?: Auth) =>
      accessRules({ default: 'deny', rules: [{ ...rule, do: 'allow' }] }).visible?.(
        { server: 's', kind: 'tool', name: 't', definition: {} },
        { ...CALLER, auth },
      )
    const ada: Auth = { principal: 'ada@example.com', scopes: ['read', 'write'], groups: ['dev'], realm: { roles: ['admin'] } }
    expect(isAllowed({ principals: '*@example.com' }, ada)).toBe(true)
    expect(isAllowed({ principals: '*@example.org' }, ada)).toBe(false)
    expect(isAllowed({ principals: '*' })).toBe(false)
    expect(isAllowed({ scopes: ['read', 'write'] }, ada)).toBe(true)
    expect(isAllowed({ scopes: ['read', 'admin'] }, ada)).toBe(false)
    expect(isAllowed({ claims: { groups: ['ops', 'dev'] } }, ada)).toBe(true)
    expect(isAllowed({ claims: { groups: 'ops' } }, ada)).toBe(false)
    expect(isAllowed({ claims: { '/realm/roles': 'admin' } }, ada)).toBe(true)
    expect(isAllowed({ unless: { claims: { groups: 'dev' } } }, ada)).toBe(false)
    expect(isAllowed({ unless: { claims: { groups: 'dev' } } })).toBe(true)
  })

  test('by annotations, with the defaults of the specification, and never to allow', () => {
    const isAllowed = (annotations: object | undefined) =>
      accessRules({ default: 'allow', rules: [{ annotations: { destructiveHint: true }, do: 'deny' }] }).visible?.(
        { server: 's', kind: 'tool', name: 't', definition: { annotations } },
        CALLER,
      )
    expect(isAllowed({ destructiveHint: false })).toBe(true)
    expect(isAllowed({ readOnlyHint: true })).toBe(true)
    expect(isAllowed({ destructiveHint: true })).toBe(false)
    expect(isAllowed({})).toBe(false)
    expect(isAllowed(undefined)).toBe(false)
    const approve: AccessRule = { annotations: { destructiveHint: true }, do: 'approve' }
    expect(decisionOf([approve], 'deny', ['crm', 'delete'])).toBe(false)
    expect(decisionOf([approve, { tools: 'delete', do: 'allow' }], 'deny', ['crm', 'delete'])).toBe(true)
    expect(() => accessRules({ default: 'deny', rules: [{ annotations: { readOnlyHint: true }, do: 'allow' }] })).toThrow(
      'rule 1: annotations cannot allow anything',
    )
  })
})

describe('what is denied', () => {
  const policy = accessRules({
    default: 'allow',
    rules: [
      { tools: 'crm__delete*', do: 'deny' },
      { prompts: 'secret', do: 'deny' },
      { resources: ['file:///secret/*', 'db:///{table}', 'db:///*'], do: 'deny' },
    ],
  })
  const errorOf = (promise: Promise<unknown>) => promise.then(() => 'success').catch((error: Error) => error)

  test('is not listed, and looks like an unknown item', async () => {
    const client = await open(policy)
    expect(await namesOf(client)).not.toContain('crm__delete')
    expect(await namesOf(client)).toContain('files__delete')
    expect((await client.prompts().toArray()).map(({ name }) => name)).toEqual(['crm__greet', 'files__greet'])
    expect((await client.resources().toArray()).map(({ uri }) => uri)).toEqual([
      'file:///public/a.txt',
      'files+file:///public/a.txt',
    ])
    expect(await client.resourceTemplates().toArray()).toEqual([])
    const pairs: [denied: Promise<unknown>, unknown: Promise<unknown>, name: string, other: string][] = [
      [client.callTool('crm__delete'), client.callTool('crm__foobar'), 'crm__delete', 'crm__foobar'],
      [client.getPrompt('crm__secret'), client.getPrompt('crm__foobar'), 'crm__secret', 'crm__foobar'],
      [
        client.readResource('file:///secret/b.txt'),
        client.readResource('file:///foobar/b.txt'),
        'file:///secret/b.txt',
        'file:///foobar/b.txt',
      ],
      [
        client.complete({ type: 'ref/prompt', name: 'crm__secret' }, { name: 'name', value: '' }),
        client.complete({ type: 'ref/prompt', name: 'crm__foobar' }, { name: 'name', value: '' }),
        'crm__secret',
        'crm__foobar',
      ],
    ]
    for (const [denied, unknown, name, other] of pairs) {
      const [one, two] = [await errorOf(denied), await errorOf(unknown)]
      expect(one).toBeInstanceOf(Error)
      expect(JSON.parse(JSON.stringify(one).replaceAll(name, ''))).toEqual(JSON.parse(JSON.stringify(two).replaceAll(other, '')))
      expect(String(one).replaceAll(name, '')).toBe(String(two).replaceAll(other, ''))
    }
  })

  test('cannot be reached by another spelling of a URI', async () => {
    const client = await open(policy)
    for (const uri of [
      'file:///public/../secret/b.txt',
      'file:///%73ecret/b.txt',
      'FILE:///secret/b.txt',
      'file:///%2573ecret/b.txt',
    ])
      await expect(client.readResource(uri)).rejects.toThrow('not found')
  })

  test('cannot be reached by another spelling of a URI at a server with a template for files', async () => {
    const files = createServer({ name: 'files', version: '1' }).resource(
      'file:///{+path}',
      { name: 'file', complete: { path: () => ['x'] } },
      ({ path }) => path,
    )
    const denied = 'file:///home/a/.ssh/*'
    const gateways = [
      createGateway({
        servers: { files },
        policy: accessRules({ default: 'allow', rules: [{ resources: denied, do: 'deny' }] }),
      }),
      createGateway({ servers: { files: { target: files, resources: { exclude: [denied] } } } }),
    ]
    for (const gateway of gateways) {
      const client = await connect(gateway)
      onTestFinished(async () => {
        await client.close()
        await gateway.close()
      })
      expect(await client.readResource('file:///home/a/x')).toMatchObject({ contents: [{ text: 'home/a/x' }] })
      const spellings = [
        ...['file:///home/a/.ssh/id', 'file:///home/a//.ssh/id', 'file:////home/a/.ssh/id', 'file:///home/a/.SSH/id'],
        ...['file:///home/a/.ssh', 'file:///home/a/.ssh/', 'file:///home/a/%2essh/id', 'file:///home/a/.ssh./id'],
        ...[
          'file:///home/a%2f.ssh%2fid',
          'file:///home/a/\\.ssh/id',
          'file:///home/x/../a/.ssh/id',
          'FILE:///home/a/.%73sh/id%20',
        ],
        ...['file:///home/a/.ｓsh/id', 'file:///home/a/.ssh/id?x=1', 'file:///home/a/.ssh/id#x'],
      ]
      for (const uri of spellings) {
        await expect(client.readResource(uri), uri).rejects.toThrow('not found')
        const completing = client.complete({ type: 'ref/resource', uri }, { name: 'path', value: '' })
        await expect(completing, uri).rejects.toThrow('Unknown resource template')
      }
      await using subscription = client.listen({ resourceSubscriptions: spellings })
      expect((await subscription.acknowledged).resourceSubscriptions ?? []).toEqual([])
    }
  })

  test('cannot be subscribed to', async () => {
    const client = await open(policy)
    await using subscription = client.listen({ resourceSubscriptions: ['file:///secret/b.txt', 'file:///public/a.txt'] })
    expect(await subscription.acknowledged).toMatchObject({ resourceSubscriptions: ['file:///public/a.txt'] })
  })

  test('includes tools that their server does not list', async () => {
    const client = await open(accessRules({ default: 'allow', rules: [{ tools: 'delete', do: 'deny' }] }))
    await expect(client.callTool('crm__DELETE')).rejects.toThrow('Unknown tool')
  })
})

test('the tasks of a tool that is denied later do not exist', async () => {
  const printer = createServer({ name: 'printer', version: '1' }, { extensions: [tasks()] })
  printer.tool('print', { task: 'optional' }, () => 'printed')
  let current = accessRules({ default: 'allow', rules: [] })
  await using gateway = createGateway({
    servers: { printer, crm: createCrm() },
    policy: { visible: (item, caller) => current.visible?.(item, caller) ?? true },
  })
  await using client = await connect(gateway, { extensions: [clientTasks()] })
  const started = await client.tasks.start('printer__print')
  const taskId = 'taskId' in started ? started.taskId : ''
  expect(await client.tasks.open(taskId).result()).toMatchObject({ content: [{ text: 'printed' }] })
  current = accessRules({ default: 'allow', rules: [{ tools: 'print', do: 'deny' }] })
  const denied = await client.tasks.open(taskId).result().catch(String)
  const unknown = await client.tasks.open('nothing').result().catch(String)
  expect(denied).toContain('the task does not exist')
  expect(denied).toBe(unknown)
})

describe('arguments', () => {
  const rules: AccessRule[] = [
    { tools: 'pay', arguments: { amount: { min: 1000 } }, do: 'deny' },
    { tools: 'pay', arguments: { '/to/country': ['X*', 'Y'] }, do: 'deny' },
    { tools: 'pay', arguments: { currency: { not: ['EUR', 'USD'] } }, do: 'deny' },
  ]
  test.each([
    [{ amount: 10, currency: 'EUR' }, true],
    [{ amount: 1000, currency: 'EUR' }, false],
    [{ amount: '5', currency: 'EUR' }, false],
    [{ amount: [1, 5000], currency: 'EUR' }, false],
    [{ amount: 10, currency: 'CHF' }, false],
    [{ amount: 10 }, false],
    [{ amount: 10, currency: 'EUR', to: { country: 'XK' } }, false],
    [{ amount: 10, currency: 'EUR', to: { country: ['DE', 'Y'] } }, false],
    [{ amount: 10, currency: 'EUR', to: { country: 'DE' } }, true],
  ])('%j: %s', async (args, isAllowed) => {
    const client = await open(accessRules({ default: 'allow', rules }))
    expect(await namesOf(client)).toContain('crm__pay')
    const { isError = false, content } = await client.callTool('crm__pay', args)
    expect(isError).toBe(!isAllowed)
    if (isError) expect(content).toMatchObject([{ text: 'The policy does not allow this call with these arguments' }])
  })

  test('can allow calls of a tool that is denied otherwise', async () => {
    const client = await open(
      accessRules({ default: 'deny', rules: [{ tools: 'crm__pay', arguments: { amount: { max: 10 } }, do: 'allow' }] }),
    )
    expect(await namesOf(client)).toEqual(['crm__pay'])
    expect(await client.callTool('crm__pay', { amount: 10 })).not.toHaveProperty('isError')
    for (const args of [{ amount: 11 }, { amount: '10' }, {}, { amount: [10] }])
      expect(await client.callTool('crm__pay', args)).toMatchObject({ isError: true })
  })
})

test('a caller learns of a server that is not available only if it may see something of it', async () => {
  let isDown = false
  let principal = 'eve'
  const salaries = createServer({ name: 'hr', version: '1' }, { instructions: 'Salaries' }).tool('get', {}, () => 'got')
  const hr = (...[request, context]: Parameters<Exchange>): Promise<Response> =>
    isDown ? Promise.reject(new ConnectionLostError()) : salaries.exchange(request, context)
  const servers = { ads: createServer({ name: 'ads', version: '1' }), hr, gone: 'http://127.0.0.1:9/mcp' }
  const gateway = createGateway({
    servers: { ...servers, lost: { target: servers.gone, required: true } },
    policy: accessRules({ default: 'allow', rules: [{ servers: ['hr', 'lost'], unless: { principals: 'ada' }, do: 'deny' }] }),
    middleware: [(request, context, next) => next(request, deriveContext(context, { auth: { principal } }))],
  })
  onTestFinished(() => gateway.close())
  const client = await connect(gateway, { cache: false })
  onTestFinished(() => client.close())
  const missing = async (): Promise<string[]> => {
    const { _meta: meta = {} } = await client.request('tools/list')
    return Object.keys((meta as { [key: string]: object })['io.github.portcall/unavailable'] ?? {})
  }
  expect(await missing()).toEqual(['gone'])
  expect(JSON.stringify(await client.request('server/discover'))).not.toMatch(/hr|Salaries|lost/)
  principal = 'ada'
  await expect(client.request('tools/list')).rejects.toThrow('The server lost, which is required')
  await gateway.setServers(servers)
  expect(JSON.stringify(await client.request('server/discover'))).toMatch(/## hr.*Salaries/)
  gateway.setPolicy(accessRules({ default: 'deny', rules: [{ tools: 'hr__get', do: 'allow' }] }))
  expect(await namesOf(client)).toEqual(['hr__get'])
  isDown = true
  gateway.refresh()
  // What it listed before is still listed, so the caller learns that it may be old.
  expect(await missing()).toEqual(['hr'])
  gateway.setPolicy(accessRules({ default: 'deny', rules: [] }))
  expect(await missing()).toEqual([])
})

test.each<[unknown, string]>([
  [{ tool: 'x', do: 'deny' }, 'rule 1: tool is unknown'],
  [{ tools: 1, do: 'deny' }, 'rule 1: tools has an invalid value'],
  [{ tools: 'x' }, 'rule 1: do is missing'],
  [{ do: 'forbid' }, 'rule 1: do has an invalid value'],
  [{ do: 'deny', arguments: { a: { max: '1' } } }, 'rule 1: arguments has an invalid value'],
  [{ do: 'deny', unless: {} }, 'rule 1: unless has an invalid value'],
  ['deny', 'rule 1 is not an object'],
])('%j is an error', (rule, message) => {
  expect(() => accessRules({ default: 'allow', rules: [rule as AccessRule] })).toThrow(message)
})

test('while a server cannot be reached, its tools are unavailable, not unknown, to callers who may know the server', async () => {
  const refuse = (): Promise<never> => Promise.reject(new Error('gone'))
  const events: GatewayEvent[] = []
  const gateway = createGateway({
    servers: { crm: refuse, hidden: refuse },
    policy: accessRules({
      default: 'allow',
      rules: [
        { servers: 'hidden', do: 'deny' },
        { tools: 'crm__pay', do: 'approve' },
      ],
    }),
    onEvent: (event) => events.push(event),
  })
  const client = await connect(gateway)
  onTestFinished(async () => {
    await client.close()
    await gateway.close()
  })
  for (const name of ['crm__pay', 'crm__other'])
    await expect(client.callTool(name)).rejects.toThrow('The server crm is not available: gone')
  await expect(client.callTool('hidden__pay')).rejects.toThrow('Unknown tool: hidden__pay')
  expect(events.flatMap((event) => (event.type === 'call' ? [event.outcome] : []))).toEqual([
    'unavailable',
    'unavailable',
    'denied',
  ])
})
