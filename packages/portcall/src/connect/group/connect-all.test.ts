import { afterEach, describe, expect, test } from 'vitest'
import { serve } from '../../serve/node.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/types.ts'
import { type ConnectAllOptions, connectAll } from './connect-all.ts'
import type { ClientGroup, GroupEvent } from './group.ts'

/** The script of a legacy server, named by its environment. The tool `exit` ends the process. */
const PROGRAM = `
process.stdin.setEncoding('utf8')
let rest = ''
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) answer(JSON.parse(line))
})
process.stdin.on('end', () => process.exit())
function answer({ id, method, params }) {
  const results = {
    initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: process.env.NAME, version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'who', inputSchema: { type: 'object' } }, { name: 'exit', inputSchema: { type: 'object' } }] }),
    'tools/call': () => params.name === 'exit' ? process.exit(3) : { content: [{ type: 'text', text: process.env.NAME + ' ' + process.pid }] },
  }
  if (id === undefined) return
  const result = results[method]?.()
  console.log(JSON.stringify(result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no ' + method } }))
}
`
const command = (name: string): object => ({ command: process.execPath, args: ['-e', PROGRAM], env: { NAME: name } })

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function createGroup(config: object | string, options: ConnectAllOptions = {}): Promise<ClientGroup> {
  const group = await connectAll(config, options)
  cleanups.push(group.close)
  return group
}

async function serveHttp(headers: (string | undefined)[] = []): Promise<string> {
  const server: Server = createServer({ name: 'remote', version: '1' })
  server.tool('who', {}, (_args, call) => {
    headers.push(call.header('x-token'), call.header('x-shared'))
    return 'remote'
  })
  const listening = await serve(server, { port: 0, handleProcessSignals: false })
  cleanups.push(listening.close)
  return listening.url
}

const text = async (group: ClientGroup, name: string): Promise<string> =>
  (await group.callTool(name)).content.map((block) => ('text' in block ? block.text : '')).join()
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('processes and URLs', () => {
  test('are combined in one list, from a text with comments', async () => {
    const config = `{
      // three servers
      "mcpServers": {
        "one": ${JSON.stringify(command('one'))},
        "two": ${JSON.stringify(command('${SECOND:-zwei}'))},
        "web": { "url": "${await serveHttp()}" },
      },
    }`
    const group = await createGroup(config, { env: {} })
    expect((await group.tools().toArray()).map(({ name }) => name)).toEqual([
      'one__who',
      'one__exit',
      'two__who',
      'two__exit',
      'web__who',
    ])
    expect([await text(group, 'one__who'), await text(group, 'two__who'), await text(group, 'web__who')]).toEqual([
      expect.stringMatching(/^one \d+$/),
      expect.stringMatching(/^zwei \d+$/),
      'remote',
    ])
  })

  test('configured headers override shared ones', async () => {
    const seen: (string | undefined)[] = []
    const config = { servers: { web: { url: await serveHttp(seen), headers: { 'X-Token': '${TOKEN}' } } } }
    const group = await createGroup(config, { env: { TOKEN: 't1' }, headers: () => ({ 'x-shared': 's', 'x-token': 'other' }) })
    await group.callTool('web__who')
    expect(seen).toEqual(['t1', 's'])
  })

  test('a server that cannot be started does not affect the others', async () => {
    const events: GroupEvent[] = []
    const config = {
      mcpServers: {
        bad: { command: '/no/such/program' },
        unreachable: { url: 'http://127.0.0.1:9/mcp' },
        good: command('good'),
        unset: { command: '${NONE}' },
      },
    }
    const group = await createGroup(config, { env: {}, onEvent: (event) => events.push(event) })
    expect((await group.tools().toArray()).map(({ name }) => name)).toEqual(['good__who', 'good__exit'])
    expect(Object.fromEntries(Object.entries(group.status).map(([name, { state }]) => [name, state]))).toEqual({
      bad: 'failed',
      unreachable: 'failed',
      good: 'connected',
      unset: 'failed',
    })
    expect(String(group.status.bad?.error)).toContain('/no/such/program')
    expect(String(group.status.unset?.error)).toContain(
      'The server unset has an invalid configuration: command needs the variable NONE, which is not set',
    )
    expect(new Set(events.filter(({ type }) => type === 'failed').map(({ server }) => server))).toEqual(
      new Set(['bad', 'unreachable', 'unset']),
    )
  })

  test('a server that exits is restarted by the next use; the others keep running', async () => {
    const group = await createGroup({ mcpServers: { one: command('one'), two: command('two') } })
    const [first, other] = [await text(group, 'one__who'), await text(group, 'two__who')]
    await expect(group.callTool('one__exit')).rejects.toThrow(/3/)
    const second = await text(group, 'one__who')
    expect(second).toMatch(/^one \d+$/)
    expect(second).not.toBe(first)
    expect(await text(group, 'two__who')).toBe(other)
  })

  test('close ends all processes, including those that are starting', async () => {
    const group = await createGroup({
      mcpServers: { one: command('one'), two: command('two'), three: command('three'), never: command('never') },
    })
    const pids = (await Promise.all([text(group, 'one__who'), text(group, 'two__who')])).map((one) => Number(one.split(' ')[1]))
    const starting = group.client('three')
    starting.catch(() => {})
    const startedAt = performance.now()
    await group.close()
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    await expect(starting).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
    expect(pids.map(isAlive)).toEqual([false, false])
  })
})

test('servers that are off elsewhere are disabled, and a host may have none', async () => {
  const group = await createGroup({ mcpServers: { one: command('one'), two: command('two') } }, { disabledServers: ['two'] })
  expect(group.status).toMatchObject({ one: { state: 'idle' }, two: { state: 'disabled' } })
  expect((await createGroup({ theme: 'dark' }, { allowNoServers: true })).servers).toEqual([])
})

test.each([
  [{ timeout: 5 }, 'connectAll(): unknown option "timeout". Pass timeouts: { requestTimeoutMs }'],
  [{ timeouts: { request: 5 } }, 'connectAll(): timeouts: unknown option "request"'],
  [{ optionOf: () => ({}) }, 'connectAll(): unknown option "optionOf"'],
])('refuses options that do not exist before a server is started: %j', async (options, message) => {
  const opening = connectAll({ mcpServers: { one: command('one') } }, options as never)
  await expect(opening).rejects.toThrow(message)
})
