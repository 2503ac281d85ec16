import { afterEach, describe, expect, test } from 'vitest'
import { serve } from '../node.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/surface.ts'
import { type ConnectAllOptions, connectAll } from './all.ts'
import type { ClientGroup, GroupEvent } from './group.ts'

/** A server of an older revision, as a program; its environment decides how it is called and whether it falls over. */
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
    'tools/list': () => ({ tools: [{ name: 'who', inputSchema: { type: 'object' } }, { name: 'fall', inputSchema: { type: 'object' } }] }),
    'tools/call': () => params.name === 'fall' ? process.exit(3) : { content: [{ type: 'text', text: process.env.NAME + ' ' + process.pid }] },
  }
  if (id === undefined) return
  const result = results[method]?.()
  console.log(JSON.stringify(result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no ' + method } }))
}
`
const program = (name: string): object => ({ command: process.execPath, args: ['-e', PROGRAM], env: { NAME: name } })

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function group(config: object | string, options: ConnectAllOptions = {}): Promise<ClientGroup> {
  const made = await connectAll(config, options)
  cleanups.push(made.close)
  return made
}

async function url(headers: (string | undefined)[] = []): Promise<string> {
  const server: Server = createServer({ name: 'remote', version: '1' })
  server.tool('who', {}, (_args, call) => {
    headers.push(call.header('x-token'), call.header('x-shared'))
    return 'remote'
  })
  const serving = await serve(server, { port: 0, signals: false })
  cleanups.push(serving.close)
  return serving.url
}

const text = async (made: ClientGroup, name: string): Promise<string> =>
  (await made.callTool(name)).content.map((block) => ('text' in block ? block.text : '')).join()
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('programs and URLs', () => {
  test('all of them in one view, from a text with comments', async () => {
    const config = `{
      // three servers
      "mcpServers": {
        "one": ${JSON.stringify(program('one'))},
        "two": ${JSON.stringify(program('${SECOND:-zwei}'))},
        "web": { "url": "${await url()}" },
      },
    }`
    const made = await group(config, { env: {} })
    expect((await made.tools().toArray()).map(({ name }) => name)).toEqual([
      'one__who',
      'one__fall',
      'two__who',
      'two__fall',
      'web__who',
    ])
    expect([await text(made, 'one__who'), await text(made, 'two__who'), await text(made, 'web__who')]).toEqual([
      expect.stringMatching(/^one \d+$/),
      expect.stringMatching(/^zwei \d+$/),
      'remote',
    ])
  })

  test('headers of the configuration, and of all', async () => {
    const seen: (string | undefined)[] = []
    const config = { servers: { web: { url: await url(seen), headers: { 'X-Token': '${TOKEN}' } } } }
    const made = await group(config, { env: { TOKEN: 't1' }, headers: () => ({ 'x-shared': 's', 'x-token': 'other' }) })
    await made.callTool('web__who')
    expect(seen).toEqual(['t1', 's'])
  })

  test('what cannot be started fails alone', async () => {
    const events: GroupEvent[] = []
    const config = {
      mcpServers: {
        bad: { command: '/no/such/program' },
        gone: { url: 'http://127.0.0.1:9/mcp' },
        good: program('good'),
        unset: { command: '${NONE}' },
      },
    }
    const made = await group(config, { env: {}, onEvent: (event) => events.push(event) })
    expect((await made.tools().toArray()).map(({ name }) => name)).toEqual(['good__who', 'good__fall'])
    expect(Object.fromEntries(Object.entries(made.status).map(([name, { state }]) => [name, state]))).toEqual({
      bad: 'failed',
      gone: 'failed',
      good: 'open',
      unset: 'failed',
    })
    expect(String(made.status.bad?.error)).toContain('/no/such/program')
    expect(String(made.status.unset?.error)).toContain(
      'The server unset cannot be used: command needs the variable NONE, which is not set',
    )
    expect(new Set(events.filter(({ type }) => type === 'failed').map(({ server }) => server))).toEqual(
      new Set(['bad', 'gone', 'unset']),
    )
  })

  test('one that dies is named, and started again by the next use; the others live on', async () => {
    const made = await group({ mcpServers: { one: program('one'), two: program('two') } })
    const [first, other] = [await text(made, 'one__who'), await text(made, 'two__who')]
    await expect(made.callTool('one__fall')).rejects.toThrow(/3/)
    const second = await text(made, 'one__who')
    expect(second).toMatch(/^one \d+$/)
    expect(second).not.toBe(first)
    expect(await text(made, 'two__who')).toBe(other)
  })

  test('close ends all processes, also those that are starting', async () => {
    const made = await group({
      mcpServers: { one: program('one'), two: program('two'), three: program('three'), never: program('never') },
    })
    const pids = (await Promise.all([text(made, 'one__who'), text(made, 'two__who')])).map((one) => Number(one.split(' ')[1]))
    const starting = made.client('three')
    starting.catch(() => {})
    const startedAt = performance.now()
    await made.close()
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    await expect(starting).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(pids.map(isAlive)).toEqual([false, false])
  })
})
