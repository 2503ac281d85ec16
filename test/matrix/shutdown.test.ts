import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { compileProgram } from '../support/compile.ts'
import { createDriver, type Driver } from '../support/driver.ts'
import { withEnvelope } from '../support/envelope.ts'
import { startNodeEndpoint } from '../support/http-endpoints.ts'
import { httpWire } from '../support/wire-http.ts'
import { memoryWire } from '../support/wire-memory.ts'
import { callTool, textOf, until } from './matrix.ts'
import { createMatrixServer } from './server/index.ts'

const PROGRAM = fileURLToPath(new URL('./server/stdio.ts', import.meta.url))
const SELF = { revision: '2026-07-28', clientInfo: { name: 'raw', version: '1' }, capabilities: {} }
const MODERN = { revision: '2026-07-28', transport: 'memory' } as const
const HANDSHAKE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }

interface ExitOutcome {
  code: number | null
  messages: { id?: number; method?: string }[]
  stderr: string
}

/** Writes lines to a server process, closes its stdin or sends a signal, and waits until it exits. */
async function runProcess(lines: object[], end: 'stdin' | 'SIGTERM', drainTimeoutMs = 5000): Promise<ExitOutcome> {
  const child = spawn(process.execPath, [await compileProgram(PROGRAM), `${drainTimeoutMs}`], { stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exited = once(child, 'close')
  child.stdin.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  if (end === 'stdin') child.stdin.end()
  else {
    await until(() => stdout.includes('\n'))
    child.kill(end)
  }
  const [code] = (await exited) as [number | null]
  return {
    code,
    stderr,
    messages: stdout
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ExitOutcome['messages'][number]),
  }
}

const call = (id: number, name: string, args: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

describe('shutdown of a server', () => {
  test('STDIO-017 all requests received before stdin closed are answered, then the process exits', async () => {
    const slow = Array.from({ length: 20 }, (_, n) => call(n + 1, 'counts_slowly', { to: 3 }))
    const { code, messages } = await runProcess(
      [{ jsonrpc: '2.0', id: 0, method: 'initialize', params: HANDSHAKE }, ...slow],
      'stdin',
    )
    expect(code).toBe(0)
    expect(messages.map(({ id }) => id).sort((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 21 }, (_, n) => n))
  })

  test('LIFE-024 SIGTERM stops the process after the running calls', async () => {
    const { code, messages } = await runProcess([call(1, 'nothing'), call(2, 'counts_slowly', { to: 5 })], 'SIGTERM')
    expect(code).toBe(0)
    expect(messages.map(({ id }) => id)).toEqual([1, 2])
  })

  test('the responses of a batch are sent even if one of its calls does not end', async () => {
    const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { ...HANDSHAKE, protocolVersion: '2025-03-26' } }
    const batch = [call(1, 'nothing'), call(2, 'holds'), call(3, 'nothing')]
    const { code, messages, stderr } = await runProcess([initialize, batch], 'stdin', 200)
    expect(code).toBe(0)
    expect(messages).toMatchObject([{ id: 0 }, [{ id: 1 }, { id: 3 }]])
    expect(messages[1]).toHaveLength(2)
    expect(stderr).toContain('200 ms after the client had left')
  })

  test('STDIO-005 output of a tool to stdout is redirected to stderr, with one warning', async () => {
    const { messages, stderr } = await runProcess([call(1, 'prints'), call(2, 'prints')], 'stdin')
    expect(messages.map(({ id }) => id)).toEqual([1, 2])
    expect(stderr.match(/This belongs on stderr/g)).toHaveLength(2)
    expect(stderr.length).toBeGreaterThan(60)
  })

  test('SUB-010 SUB-011 an open subscription ends with a result on stdio', async () => {
    const params = withEnvelope({ notifications: { toolsListChanged: true } }, SELF)
    const { code, messages } = await runProcess([{ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params }], 'SIGTERM')
    expect(code).toBe(0)
    const closing = { result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': 7 } } }
    expect(messages[0]).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
    expect(messages.find(({ id }) => id === 7)).toMatchObject(closing)
  })

  test.each(['memory', 'http'] as const)(
    'SUB-010 closing the server ends subscriptions with a result over %s, and lets calls finish',
    async (transport) => {
      const server = createMatrixServer()
      const started = new Promise<void>((resolve) => {
        server.tool('works', {}, async () => {
          resolve()
          await new Promise((resolve) => setTimeout(resolve, 100))
          return 'worked'
        })
      })
      const endpoint = transport === 'http' ? await startNodeEndpoint(server) : undefined
      const peer: Driver = await createDriver(
        async (receive) => (endpoint ? httpWire(endpoint, receive) : memoryWire(server, receive)),
        {
          ...MODERN,
          transport,
        },
      )
      const changes = await peer.changes({ toolsListChanged: true })
      const running = callTool(peer, 'works')
      await started
      const closed = endpoint?.close()
      server.close()
      expect(textOf(await running)).toBe('worked')
      await until(() => changes.frames.length > 1)
      expect(changes.frames.at(-1)).toMatchObject({
        result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/subscriptionId': expect.any(Number) as number } },
      })
      await closed
      await peer.close()
    },
  )
})
