/** A proxy between a client and a real server cuts the connection at each byte of a short exchange. */
import { once } from 'node:events'
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net'
import { type Client, connect } from 'portcall/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type HttpServer, startHttp } from '../support/http.ts'
import { within } from '../support/time.ts'

let server: HttpServer
beforeAll(async () => {
  server = await startHttp()
})
afterAll(() => server.kill())

type End = 'close' | 'reset' | 'silence'

/** The number of bytes passed to the client before the fault, and the fault. Later traffic is not affected. */
interface Cut {
  after: number
  end: End
}

/** Starts a proxy; `carried` counts the bytes passed to the client. */
async function startProxy(cut: Cut | undefined): Promise<{ url: string; carried(): number }> {
  let carried = 0
  let isCut = false
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const upstream = connectSocket(server.port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true))
      socket.on('error', () => {})
      socket.on('close', () => [client, upstream].map((one) => one.destroy()))
    }
    client.on('data', (bytes: Buffer) => upstream.write(bytes))
    upstream.on('data', (bytes: Buffer) => {
      if (!cut || isCut || carried + bytes.length < cut.after) {
        carried += bytes.length
        return void client.write(bytes)
      }
      isCut = true
      upstream.removeAllListeners('data').resume()
      const passed = bytes.subarray(0, cut.after - carried)
      carried += passed.length
      const finish = (): void => {
        if (cut.end === 'reset') setTimeout(() => client.resetAndDestroy(), 5)
        else if (cut.end === 'close') client.end()
      }
      if (passed.length > 0) client.write(passed, finish)
      else finish()
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`, carried: () => carried }
}

interface Era {
  readonly era: 'modern' | 'legacy'
  readonly revision: string
}

const ERAS: readonly Era[] = [
  { era: 'modern', revision: '2026-07-28' },
  { era: 'legacy', revision: '2025-11-25' },
]

/** Runs a short exchange that ends with a call with progress, so that its response is a stream. Returns the outcome of each step. */
async function converse(url: string, era: Era, requestTimeoutMs = 30_000): Promise<string[]> {
  const timeouts = { requestTimeoutMs }
  const log: string[] = []
  const step = async (what: string, run: () => Promise<unknown>): Promise<void> => {
    const outcome = await within(3000, run(), what).then(
      (value) => String(value),
      (error: { code?: string; message: string }) => error.code ?? `unknown error ${error.message}`,
    )
    log.push(outcome)
  }
  let client: Client | undefined
  await step('connect', async () => {
    client = (await connect(url, { era: era.era, timeouts, connectTimeoutMs: requestTimeoutMs })) as Client
    return 'connected'
  })
  const opened = client
  if (!opened) return log
  const echo = async (): Promise<string> => {
    const { content } = await opened.callTool('echo', { text: 'zażółć' }, { onProgress: () => {} })
    return (content[0] as { text: string }).text
  }
  await step('the first call', echo)
  await step('the second call', echo)
  await step('the third call', echo)
  await within(3000, opened.close(), 'close')
  return log
}

/** The allowed outcomes of a step: the expected result, or a specific error. */
const ALLOWED = new Set([
  'connected',
  'zażółć',
  'CONNECTION_LOST',
  'INVALID_RESPONSE',
  'HTTP_STATUS',
  'TIMEOUT',
  'SESSION_EXPIRED',
])
const AT_ONCE = 16

describe.each(ERAS)('an exchange of $revision', (era) => {
  test.each(['close', 'reset'] as const)('C25 C26: %s at every byte: at most one step fails, with a typed error', async (end) => {
    const whole = await startProxy(undefined)
    expect(await converse(whole.url, era)).toEqual(['connected', 'zażółć', 'zażółć', 'zażółć'])
    const total = whole.carried()
    expect(total).toBeGreaterThan(500)
    const positions = Array.from({ length: total }, (_, at) => at)
    const wrong: string[] = []
    const work = async (): Promise<void> => {
      for (let at = positions.pop(); at !== undefined; at = positions.pop()) {
        const { url } = await startProxy({ after: at, end })
        const outcomes = await converse(url, era)
        const failures = outcomes.filter((outcome) => outcome !== 'connected' && outcome !== 'zażółć')
        const isWell = failures.length <= 1 && outcomes.every((outcome) => ALLOWED.has(outcome)) && !failures.includes('TIMEOUT')
        if (!isWell) wrong.push(`${end} after byte ${at} of ${total}: ${outcomes.join(', ')}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    expect(wrong).toEqual([])
    await server.healthy()
  })

  test('C23: silence from each 25th byte on: each step times out', async () => {
    const whole = await startProxy(undefined)
    await converse(whole.url, era)
    const positions = Array.from({ length: Math.ceil(whole.carried() / 25) }, (_, at) => 25 * at)
    const wrong: string[] = []
    const work = async (): Promise<void> => {
      for (let after = positions.pop(); after !== undefined; after = positions.pop()) {
        const { url } = await startProxy({ after, end: 'silence' })
        const outcomes = await converse(url, era, 400)
        if (!outcomes.every((outcome) => ALLOWED.has(outcome))) wrong.push(`after byte ${after}: ${outcomes.join(', ')}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    expect(wrong).toEqual([])
  })
})
