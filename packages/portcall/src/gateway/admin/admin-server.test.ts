import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServer } from '../../server/server.ts'
import { createGateway } from '../gateway.ts'
import { AdminActionError, type AdminActions, serveAdmin } from './admin-server.ts'
import { gatewayMetrics } from './gateway-metrics.ts'

const TOKEN = 't'.repeat(32)
const ROUTES = [
  ['GET', '/status'],
  ['POST', '/reload'],
  ['POST', '/servers/a/restart'],
  ['POST', '/servers/a/enable'],
  ['POST', '/servers/a/disable'],
  ['POST', '/servers/a/refresh'],
  ['POST', '/refresh'],
  ['GET', '/pins'],
  ['GET', '/approvals'],
  ['POST', '/approvals/a/approve'],
  ['POST', '/approvals/a/deny'],
  ['GET', '/metrics'],
] as const
const HEALTH = [
  ['GET', '/livez'],
  ['GET', '/readyz'],
] as const

interface Reply {
  readonly status: number | undefined
  readonly body: string
}

async function start(): Promise<{ calls: string[]; send: (method: string, path: string, headers?: object) => Promise<Reply> }> {
  const calls: string[] = []
  const record = (name: string) => async (server?: string) => void calls.push(server === undefined ? name : `${name} ${server}`)
  const actions: AdminActions = {
    status: () => {
      calls.push('status')
      return { servers: {} }
    },
    reload: record('reload'),
    restart: record('restart'),
    enable: record('enable'),
    refresh: record('refresh'),
    pins: record('pins'),
    approvals: record('approvals'),
    approve: record('approve'),
    deny: record('deny'),
    metrics: async () => {
      calls.push('metrics')
      return 'portcall_calls 1\n'
    },
    disable: async (server) => {
      if (server === 'no') throw new AdminActionError('There is no server no')
      throw new Error('secret')
    },
  }
  const admin = await serveAdmin(actions, { token: TOKEN })
  onTestFinished(admin.close)
  const send = (method: string, path: string, headers: object = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: admin.port, method, path, headers: { ...headers } }, (response) => {
        let body = ''
        response.on('data', (chunk) => (body += chunk)).on('end', () => resolve({ status: response.statusCode, body }))
      })
      sent.on('error', reject).end()
    })
  return { calls, send }
}

const authorized = { authorization: `Bearer ${TOKEN}` }

describe('the admin endpoint', () => {
  test.each(ROUTES)('%s %s needs the token', async (method, path) => {
    const { calls, send } = await start()
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: TOKEN },
      { authorization: `Bearer ${TOKEN}x` },
    ])
      expect((await send(method, path, headers)).status).toBe(401)
    expect(calls).toEqual([])
  })

  test.each([...ROUTES, ...HEALTH])('%s %s refuses text/plain, foreign origins and foreign hosts', async (method, path) => {
    const { calls, send } = await start()
    const refused = [
      [415, { 'content-type': 'text/plain' }],
      [415, { 'content-type': 'application/x-www-form-urlencoded' }],
      [403, { origin: 'https://evil.example' }],
      [403, { origin: 'http://127.0.0.1' }],
      [403, { origin: 'null' }],
      [403, { host: 'evil.example' }],
    ] as const
    for (const [status, headers] of refused) expect((await send(method, path, { ...authorized, ...headers })).status).toBe(status)
    expect(calls).toEqual([])
  })

  test('acts with the token', async () => {
    const { calls, send } = await start()
    expect(await send('GET', '/status', authorized)).toEqual({ status: 200, body: '{"servers":{}}' })
    expect((await send('POST', '/reload', { ...authorized, 'content-type': 'application/json' })).status).toBe(200)
    await send('POST', '/servers/a%2Fb/restart', authorized)
    expect(calls).toEqual(['status', 'reload', 'restart a/b'])
  })

  test('other requests and failing actions get an error without details', async () => {
    const { send } = await start()
    expect((await send('POST', '/status', authorized)).status).toBe(405)
    expect((await send('GET', '/reload', authorized)).status).toBe(405)
    expect((await send('GET', '/servers/a/remove', authorized)).status).toBe(404)
    expect((await send('POST', '/servers/%zz/restart', authorized)).status).toBe(400)
    expect((await send('GET', '/__proto__', authorized)).status).toBe(404)
    expect(await send('POST', '/servers/no/disable', authorized)).toEqual({
      status: 422,
      body: '{"error":"There is no server no"}',
    })
    expect(await send('POST', '/servers/a/disable', authorized)).toEqual({ status: 500, body: '{"error":"Internal error"}' })
  })

  test('health checks need no token', async () => {
    const { send } = await start()
    expect([(await send('GET', '/livez')).status, (await send('GET', '/readyz')).status]).toEqual([200, 200])
  })

  test('a short token is refused', async () => {
    await expect(serveAdmin({} as AdminActions, { token: 'short' })).rejects.toThrow('at least 32 characters')
  })
})

test('the status of a gateway becomes metrics, with what is known', async () => {
  const gateway = createGateway({ servers: { crm: createServer({ name: 'crm', version: '1' }) } })
  onTestFinished(() => gateway.close())
  const text = gatewayMetrics(gateway.status())
  expect(text).toContain('portcall_gateway_server_requests_total{server="crm"} 0\n')
  expect(text).toContain('# TYPE portcall_gateway_subscriptions gauge\nportcall_gateway_subscriptions 0\n')
  expect(text).not.toMatch(/calls_total|memory_bytes|undefined|NaN|\n\n/)
  const { servers, ...status } = gateway.status()
  const crm = { ...servers.crm, calls: 3 } as never
  expect(gatewayMetrics({ ...status, servers: { crm }, memoryBytes: 5 })).toMatch(
    /memory_bytes 5\n.*calls_total{server="crm"} 3\n/s,
  )
})
