import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from 'portcall/jsonrpc'
import { describe, expect, onTestFinished, test } from 'vitest'
import { handler } from '../../examples/fetch.ts'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { compileProgram } from '../support/compile.ts'
import { withEnvelope } from '../support/envelope.ts'

const MODERN = '2026-07-28'
const ACCEPT = 'application/json, text/event-stream'
const self = { revision: MODERN, clientInfo: { name: 'raw', version: '1' }, capabilities: {} }
const toolCall = (name: string, args: JsonObject = {}): { body: string; headers: Record<string, string> } => ({
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: withEnvelope({ name, arguments: args }, self) }),
  headers: {
    'content-type': 'application/json',
    accept: ACCEPT,
    'mcp-protocol-version': MODERN,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  },
})

async function run(name: string): Promise<{ lines: AsyncIterator<string>; write(text: string): void }> {
  const program = await compileProgram(fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url)))
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, PORT: '0' } })
  onTestFinished(async () => {
    child.stdin.end()
    if (name !== 'stdio') child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    write: (text) => void child.stdin.write(text),
  }
}

describe('programs', () => {
  const post = async (
    url: string,
    request: ReturnType<typeof toolCall>,
    headers = {},
  ): Promise<{ status: number; json: unknown }> => {
    const response = await fetch(url, { method: 'POST', body: request.body, headers: { ...request.headers, ...headers } })
    return { status: response.status, json: await response.json() }
  }

  test('hello', async () => {
    const { lines } = await run('hello')
    const url = (await lines.next()).value.replace('Listening at ', '')
    expect(await post(url, toolCall('greet', { name: 'Ann' }))).toMatchObject({
      status: 200,
      json: { result: { content: [{ text: 'Hello, Ann!' }] } },
    })
  })

  test('cluster', async () => {
    const { lines } = await run('cluster')
    const url = (await lines.next()).value
    const workers = Math.min(2, availableParallelism())
    const answers = new Set<unknown>()
    await eventually(async () => {
      const { json } = await post(url, toolCall('which'), { connection: 'close' })
      answers.add((json as { result: { content: { text: string }[] } }).result.content[0]?.text)
      expect(answers.size).toBeGreaterThanOrEqual(workers)
    })
  })

  test('stdio', async () => {
    const { lines, write } = await run('stdio')
    write(`${toolCall('greet', { name: 'Ann' }).body}\n`)
    expect(JSON.parse((await lines.next()).value)).toMatchObject({ id: 1, result: { content: [{ text: 'Hello, Ann!' }] } })
  })

  test('http', async () => {
    const { lines } = await run('http')
    const url = (await lines.next()).value
    expect(await post(url, toolCall('whoami'))).toMatchObject({ status: 401 })
    expect(await post(url, toolCall('whoami'), { authorization: 'Bearer secret-of-ann' })).toMatchObject({
      status: 200,
      json: { result: { content: [{ text: 'You are ann' }] } },
    })
  })

  test('mount', async () => {
    const { lines } = await run('mount')
    const port = /port: (\d+)/.exec((await lines.next()).value)?.[1]
    expect(await post(`http://127.0.0.1:${port}/mcp`, toolCall('ping'))).toMatchObject({ status: 200 })
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('Something else')
  })

  test('fetch', async () => {
    const { body, headers } = toolCall('ping')
    const response = await handler(new Request('https://mcp.example.com/mcp', { method: 'POST', body, headers }))
    expect(await response.json()).toMatchObject({ result: { content: [{ text: 'pong' }] } })
    const refused = await handler(new Request('https://evil.example.com/mcp', { method: 'POST', body, headers }))
    expect(refused.status).toBe(403)
    await handler.close()
  })
})
