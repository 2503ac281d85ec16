import { createServer, RpcError } from 'portcall'
import { connect, connectAll } from 'portcall/client'
import { createGateway } from 'portcall/gateway'
import { type ListeningServer, serve } from 'portcall/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { portcall } from './support/portcall.ts'

/** The lists of a server that declares tools, resources and prompts. */
const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'] as const

/** Serves one item of each kind. One list answers with an error. */
async function serveWithout(method: string, code: number): Promise<ListeningServer> {
  const server = createServer({ name: 'partial', version: '1.0.0' }, { instructions: 'Use the tool.' })
  const input = { type: 'object', properties: { a: { type: 'string', description: 'A text' } } } as const
  server.tool('shown', { description: 'Shows a text', annotations: { readOnlyHint: true }, input }, () => '')
  server.resource('memo://one', { name: 'one', description: 'The first memo' }, () => 'text')
  server.resource('memo://{id}', { name: 'each', description: 'Any memo' }, () => 'text')
  server.prompt('ask', { description: 'Asks' }, () => 'question')
  server.use((request, context, next) => {
    if (request.method === method) throw new RpcError(code, code === -32601 ? 'Method not found' : 'broken')
    return next(request, context)
  })
  const listening = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(() => listening.close())
  return listening
}

/** Commands that read several lists, and what they print of the lists that work. */
const COMMANDS: { readonly [command: string]: { readonly args: (url: string) => string[]; readonly lists?: readonly string[] } } =
  {
    list: { args: (url) => ['list', url] },
    check: { args: (url) => ['check', url] },
    snapshot: { args: (url) => ['snapshot', url] },
    diff: { args: (url) => ['diff', url, url] },
    types: { args: (url) => ['types', url], lists: ['tools/list'] },
    generate: { args: (url) => ['generate', url], lists: ['tools/list', 'prompts/list'] },
    doctor: { args: (url) => ['doctor', url, '--json'] },
  }

describe.each(Object.entries(COMMANDS))('%s', (_name, { args, lists = LISTS }) => {
  test.each(['resources/templates/list', 'prompts/list'])('a server that declares and does not know %s', async (method) => {
    const { url } = await serveWithout(method, -32601)
    const { code, out, err } = await portcall(args(url))
    expect({ code, err }).toMatchObject({ code: 0 })
    expect(out).not.toBe('')
    if (lists.includes(method)) expect(out + err).toContain(`does not answer ${method} (-32601)`)
  })

  test('a server whose prompts/list fails', async () => {
    const method = 'prompts/list'
    const { url } = await serveWithout(method, -32000)
    const { code, out, err } = await portcall(args(url))
    if (!lists.includes(method)) return expect(code).toBe(0)
    expect(code).not.toBe(0)
    expect(out + err).toContain(method)
    expect(out + err).toContain('broken')
    expect(out).not.toBe('')
  })
})

describe.each(Object.entries(COMMANDS).filter(([name]) => name !== 'doctor'))('%s of a gateway', (name, { args }) => {
  test('says which servers are missing', async () => {
    const { url } = await serveWithout('nothing', 0)
    const gateway = createGateway({ servers: { one: url, gone: 'http://127.0.0.1:9/mcp' } })
    const listening = await serve(gateway, { port: 0, handleProcessSignals: false })
    onTestFinished(() => listening.close())
    for (const json of [[], ['--json']]) {
      const { code, out, err } = await portcall([...args(listening.url), ...json])
      const isPart = name === 'list'
      expect(code === 0).toBe(isPart)
      expect(isPart && json.length > 0 ? out : err).toMatch(
        isPart && json.length > 0 ? /"unavailable":\{"gone":/ : /the server gone is not available/,
      )
      expect(out).not.toBe('')
    }
  })
})

describe.each(LISTS)('in a program, %s', (method) => {
  const readAll = async (client: Awaited<ReturnType<typeof connect>> | Awaited<ReturnType<typeof connectAll>>) => ({
    'tools/list': await client.tools().toArray(),
    'resources/list': await client.resources().toArray(),
    'resources/templates/list': await client.resourceTemplates().toArray(),
    'prompts/list': await client.prompts().toArray(),
  })
  const expected = Object.fromEntries(LISTS.map((name) => [name, name === method ? 0 : 1]))
  const count = (lists: object) => Object.fromEntries(Object.entries(lists).map(([name, items]) => [name, items.length]))

  test.each(['client', 'group', 'gateway'] as const)('an unknown method is an empty list: %s', async (through) => {
    const { url } = await serveWithout(method, -32601)
    const warnings: unknown[] = []
    const onEvent = (event: { type: string; message?: string }): unknown =>
      event.type === 'warning' && warnings.push(event.message)
    if (through === 'group') {
      await using group = await connectAll({ mcpServers: { one: { url } } }, { onEvent })
      expect(count(await readAll(group))).toEqual(expected)
    } else {
      const gateway = through === 'gateway' ? createGateway({ servers: { one: url }, onEvent }) : undefined
      await using client = await connect(gateway ?? url, gateway ? {} : { onEvent })
      expect(count(await readAll(client))).toEqual(expected)
      await gateway?.close()
    }
    expect(new Set(warnings)).toEqual(new Set([expect.stringContaining(`does not answer ${method} (-32601)`)]))
  })

  test('an error names its method', async () => {
    const { url } = await serveWithout(method, -32000)
    await using client = await connect(url)
    await expect(client.request(method)).rejects.toMatchObject({ code: -32000, message: 'broken', method })
  })
})
