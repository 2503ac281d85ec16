import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { createGateway, type GatewayEvent } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

/** A program that answers `initialize` and lists its process id as a tool, and exits when the tool is called. */
const FRAGILE = `
import { createServer } from 'portcall'
import { serveStdio } from 'portcall/stdio'
const server = createServer({ name: 'fragile', version: '1' })
server.tool('pid', {}, () => String(process.pid)).tool('die', {}, () => process.exit(1))
await serveStdio(server)
`
const fragile = { command: process.execPath, args: ['--input-type=module', '-e', FRAGILE], cwd: import.meta.dirname }

async function serveOnce(server: Parameters<typeof serve>[0]): Promise<string> {
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(close)
  return url
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? ''

test('a program that exits soon after each start is started less and less often, and the status says when next', async () => {
  const gateway = createGateway({ servers: { fragile: { target: fragile } } })
  onTestFinished(() => gateway.close())
  await using client = await connect(gateway)
  const status = () => gateway.status().servers.fragile
  let deaths = 0
  for (; deaths < 20 && status()?.state !== 'failing'; deaths++)
    await client.callTool('fragile__die', {}).catch((error: unknown) => error)
  expect(deaths).toBe(4)
  expect(status()).toMatchObject({ state: 'failing', nextAttemptAt: expect.any(Number), error: expect.any(String) })
  await expect(client.callTool('fragile__pid', {})).rejects.toThrow('not available')
  await eventually(() => expect(status()?.state).toBe('ready'))
  expect(Number(textOf(await client.callTool('fragile__pid', {})))).toBeGreaterThan(0)
})

test('with sharing by session, each session has a process of its own, which ends after the session', async () => {
  const gateway = createGateway({ servers: { fragile: { target: fragile, sharing: 'session', idleTimeoutMs: 2000 } } })
  onTestFinished(() => gateway.close())
  const url = await serveOnce(gateway)
  const clients = await Promise.all([1, 2].map(() => connect(url, { protocolVersion: '2025-11-25' })))
  for (const client of clients) onTestFinished(() => client.close())
  const pids = async (): Promise<string[]> =>
    Promise.all(clients.map(async (client) => textOf(await client.callTool('fragile__pid', {}))))
  const first = await pids()
  expect(new Set(first).size).toBe(2)
  expect(await pids()).toEqual(first)
  await Promise.all(clients.map((client) => client.close()))
  await eventually(() => expect(gateway.status().servers.fragile?.connections).toBe(0))
  await eventually(() => expect(first.filter((pid) => isRunning(Number(pid)))).toEqual([]))
})

test('the status has the exact protocol version of each server', async () => {
  const server = createServer({ name: 'old', version: '1' }).tool('hello', {}, () => 'hi')
  const url = await serveOnce(server)
  const gateway = createGateway({
    servers: { old: { target: url, protocolVersion: '2025-03-26' }, current: { target: url, protocolVersion: '2026-07-28' } },
  })
  onTestFinished(() => gateway.close())
  await using client = await connect(gateway)
  await client.tools().toArray()
  expect(gateway.status().servers).toMatchObject({
    old: { protocolVersion: '2025-03-26' },
    current: { protocolVersion: '2026-07-28' },
  })
})

test('refresh fetches lists again that servers said would not change', async () => {
  let name = 'before'
  const gateway = createGateway({
    servers: {
      fixed: (request) =>
        Promise.resolve({
          jsonrpc: '2.0',
          id: request.id,
          result: {
            resultType: 'complete',
            ttlMs: 3_600_000,
            cacheScope: 'public',
            ...(request.method === 'tools/list'
              ? { tools: [{ name, inputSchema: { type: 'object' } }] }
              : { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
          },
        }),
      other: createServer({ name: 'other', version: '1' }),
    },
  })
  onTestFinished(() => gateway.close())
  const list = async (): Promise<string[]> => {
    await using client = await connect(gateway)
    return (await client.tools().toArray()).map((tool) => tool.name)
  }
  expect(await list()).toEqual(['fixed__before'])
  name = 'after'
  expect(await list()).toEqual(['fixed__before'])
  await using listener = await connect(gateway)
  const changes = listener.listen({ toolsListChanged: true })
  await changes.acknowledged
  gateway.refresh('fixed')
  for await (const _change of changes) break
  expect(await list()).toEqual(['fixed__after'])
})

test('events contain neither the query nor the user of a URI', async () => {
  const events: GatewayEvent[] = []
  const server = createServer({ name: 'files', version: '1' }).resource('files://{path}', { name: 'files' }, () => 'text')
  const gateway = createGateway({
    servers: { files: server, more: createServer({ name: 'more', version: '1' }) },
    onEvent: (event) => events.push(event),
  })
  onTestFinished(() => gateway.close())
  await using client = await connect(gateway)
  for (const uri of ['files://a?token=secret-1', 'https://me:secret-2@example.com/a#secret-3', `files://${'x'.repeat(5000)}`])
    await client.readResource(uri).catch(() => {})
  const calls = events.filter(({ type }) => type === 'call')
  expect(calls).toHaveLength(3)
  expect(JSON.stringify(calls)).not.toMatch(/secret|x{300}/)
})
