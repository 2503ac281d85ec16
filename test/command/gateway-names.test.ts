/** Names of tools and prompts in the configuration of a gateway: which of them exist, and how the user learns that one does not. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Client, connect } from 'portcall/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { freePort } from '../support/free-port.mjs'
import { createWorkspace, startGateway, type Workspace } from './support/gateway.ts'
import { COMMAND, portcall, STDIO, serveModule } from './support/portcall.ts'

const CAPABLE = fileURLToPath(new URL('fixtures/capable.mjs', import.meta.url))
const PROGRAM = { command: process.execPath, args: [COMMAND, 'serve', CAPABLE, '--stdio'] }
const DEMO_SERVER = { command: process.execPath, args: [STDIO] }
const DEAD = { url: 'http://127.0.0.1:9/mcp' }
const ALL_TOOLS = ['echo', 'get-env', 'ask-user', 'ask-model', 'list-roots']

const check = ({ file, env, dir }: Workspace, ...args: string[]): ReturnType<typeof portcall> =>
  portcall(['gateway', 'check', '--config', file, ...args], { env, cwd: dir })
const warningsIn = (log: string): string[] => log.split('\n').filter((line) => line.includes('which no server has'))

async function connectTo(url: string): Promise<Client> {
  const client = await connect(url)
  onTestFinished(client.close)
  return client
}

describe('portcall gateway check', () => {
  const settings = [
    ['a program', PROGRAM, {}],
    ['a program of an older revision', PROGRAM, { protocolVersion: '2025-11-25' }],
    ['a program that is started for each client', PROGRAM, { protocolVersion: '2025-11-25', capabilities: 'exact' }],
    ['a server of an older revision', undefined, { protocolVersion: '2025-11-25' }],
    ['a server', undefined, {}],
  ] as const
  test.each(settings)('sees the tools that %s lists for clients with all capabilities', async (_, program, own) => {
    const section = {
      servers: { every: { ...own, tools: { exclude: ['list-roots'] } } },
      policy: { default: 'allow', rules: [{ tools: 'every__ask-user', do: 'deny' }] },
      sets: { a: { tools: ['every__ask-model'] } },
    }
    const every = program ?? { url: await serveModule(CAPABLE) }
    const workspace = await createWorkspace({ mcpServers: { every }, gateway: section })
    const { code, out, err } = await check(workspace, '--json')
    const { servers, unknownNames } = JSON.parse(out)
    expect(unknownNames).toEqual([])
    expect(servers[0].tools).toEqual(ALL_TOOLS.filter((name) => name !== 'list-roots').map((name) => `every__${name}`))
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })

  test('suggests names that are written as in another place', async () => {
    const section = {
      names: { mode: 'on-conflict' },
      servers: { every: { alias: 'ev', tools: { exclude: ['every__get-env', 'ev__get-evn'] } } },
      policy: { default: 'allow', rules: [{ tools: ['ev__echo', 'every__echo', 'echo'], do: 'deny' }] },
      sets: { a: { tools: ['echo', 'ev__echo', 'every__echo'] } },
    }
    const { code, err } = await check(await createWorkspace({ mcpServers: { every: PROGRAM }, gateway: section }))
    expect(warningsIn(err)).toEqual([
      'gateway.servers.every.tools.exclude names every__get-env, which no server has; did you mean get-env?',
      'gateway.servers.every.tools.exclude names ev__get-evn, which no server has; did you mean get-env?',
      'gateway.policy.rules[0].tools names ev__echo, which no server has; did you mean every__echo?',
      'gateway.sets.a.tools names every__echo, which no server has; did you mean echo?',
    ])
    expect(code).toBe(1)
  })

  test('does not judge names that a server may have that is left out, or that patterns of servers select', async () => {
    const section = {
      policy: {
        default: 'allow',
        rules: [
          { tools: 'broken__erase', do: 'deny' },
          { servers: ['every', 'dem*'], tools: ['greet', 'gret'], do: 'deny' },
        ],
      },
    }
    const servers = { every: PROGRAM, demo: DEMO_SERVER }
    const broken = { url: 'http://127.0.0.1:9/', headers: { a: '${NOT_SET}' } }
    const complete = await check(await createWorkspace({ mcpServers: servers, gateway: section }))
    expect(warningsIn(complete.err)).toEqual([
      'gateway.policy.rules[0].tools names broken__erase, which no server has',
      'gateway.policy.rules[1].tools names gret, which no server has; did you mean greet?',
    ])
    const partial = await check(await createWorkspace({ mcpServers: { ...servers, broken }, gateway: section }))
    expect(warningsIn(partial.err)).toHaveLength(1)
  })
})

test('snapshots, types and pins contain what is listed for clients with all capabilities', async () => {
  const url = await serveModule(CAPABLE)
  for (const command of ['snapshot', 'types', 'generate', 'check'])
    expect((await portcall([command, url])).out, command).toContain('ask-user')
  const workspace = await createWorkspace({
    mcpServers: { every: PROGRAM },
    gateway: { pins: { mode: 'block', lock: 'lock.json' } },
  })
  const args = { env: workspace.env, cwd: workspace.dir }
  expect((await portcall(['gateway', '--accept', '--yes', '--config', workspace.file], args)).code).toBe(0)
  expect(await readFile(`${workspace.dir}/lock.json`, 'utf8')).toContain('ask-user')
})

describe('a running gateway', () => {
  const rules = (...tools: string[]): object => ({ default: 'allow', rules: tools.map((each) => ({ tools: each, do: 'deny' })) })

  test('warns once about each name that no server has, when it starts and after changes', async () => {
    const config = (exclude: readonly string[], ...tools: string[]): object => ({
      mcpServers: { every: PROGRAM },
      gateway: {
        servers: { every: { alias: 'ev', tools: { exclude } } },
        policy: rules('every__ask-user', 'nothing*', ...tools),
      },
    })
    const workspace = await createWorkspace(config(['list-roots'], 'ev__echo'))
    const { log, child } = await startGateway(workspace, '--no-watch')
    const rule = 'gateway.policy.rules[2].tools names ev__echo, which no server has; did you mean every__echo?'
    const filter = 'gateway.servers.every.tools.exclude names every__get-env, which no server has; did you mean get-env?'
    const changed = 'gateway.policy.rules[2].tools names every__ecoh, which no server has; did you mean every__echo?'
    await eventually(() => expect(warningsIn(log())).toEqual([rule]))
    expect(warningsIn((await check(workspace)).err)).toEqual([rule])
    // The server starts again with another filter.
    await workspace.write(config(['list-roots', 'every__get-env'], 'ev__echo'))
    child.kill('SIGHUP')
    await eventually(() => expect(warningsIn(log())).toEqual([rule, filter]))
    // It stays connected: only the rule is another one.
    await workspace.write(config(['list-roots', 'every__get-env'], 'every__ecoh'))
    child.kill('SIGHUP')
    await eventually(() => expect(warningsIn(log())).toEqual([rule, filter, changed]))
    // What was corrected in between is new when it returns.
    await workspace.write(config(['list-roots', 'every__get-env'], 'ev__echo'))
    child.kill('SIGHUP')
    await eventually(() => expect(warningsIn(log())).toEqual([rule, filter, changed, rule]))
  })

  test('does not warn about servers whose lists are not known, and warns when one is connected', async () => {
    const url = await serveModule(CAPABLE)
    const section = {
      start: 'on-demand',
      servers: {
        every: { tools: { exclude: ['ecoh'] } },
        own: { sharing: 'principal', tools: { exclude: ['ecoh'] } },
        exact: { capabilities: 'exact', protocolVersion: '2025-11-25', tools: { exclude: ['ecoh'] } },
        dead: { tools: { exclude: ['ecoh'] } },
      },
      policy: rules('dead__erase', 'every__erase'),
    }
    const workspace = await createWorkspace({
      mcpServers: { every: { url }, own: { url }, exact: PROGRAM, dead: DEAD },
      gateway: section,
    })
    const { url: endpoint, log } = await startGateway(workspace)
    expect(warningsIn(log())).toEqual([])
    const client = await connectTo(endpoint)
    const tools = await client.tools().toArray()
    expect(tools.map(({ name }) => name)).toContain('exact__echo')
    await eventually(() => expect(log()).toContain('dead: not available'))
    const warning = 'gateway.servers.every.tools.exclude names ecoh, which no server has; did you mean echo?'
    await eventually(() => expect(warningsIn(log())).toEqual([warning]))
    const { servers } = JSON.parse((await portcall(['gateway', 'status', '--json'], { env: workspace.env })).out)
    expect(servers.exact.connections).toBe(1)
  })

  test('warns when a server that was down is connected', async () => {
    const port = await freePort()
    const servers = { late: { url: `http://127.0.0.1:${port}/mcp` } }
    const workspace = await createWorkspace({ mcpServers: servers, gateway: { policy: rules('late__ecoh') } })
    const { url, log } = await startGateway(workspace)
    const client = await connectTo(url)
    await client.tools().toArray()
    await eventually(() => expect(log()).toContain('late: not available'))
    expect(warningsIn(log())).toEqual([])
    await serveModule(CAPABLE, port)
    const warning = 'gateway.policy.rules[0].tools names late__ecoh, which no server has; did you mean late__echo?'
    await eventually(() => expect(warningsIn(log())).toEqual([warning]))
  })
})
