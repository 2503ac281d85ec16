/** Why does a host receive nothing? Each reason, with a server and a receiver that have it. */
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'portcall'
import { apiKeys, createApiKey, protect } from 'portcall/auth/server'
import { type DiagnosedEvents, type DiagnosisProblem, diagnose } from 'portcall/diagnostics'
import { type EventsOptions, events } from 'portcall/events'
import { createWebhookSecret, eventWebhook, signWebhook } from 'portcall/events/client'
import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'

const secret = createWebhookSecret()
const NAME = 'order.created'

interface Shop {
  readonly options?: EventsOptions
  readonly withEvents?: boolean
  readonly scopes?: string[]
  readonly visible?: () => boolean
  readonly delivery?: ('poll' | 'push')[]
}

/** Starts a shop that Ann may use. */
async function startShop({ options = {}, withEvents = true, ...given }: Shop = {}) {
  const server = createServer({ name: 'shop', version: '1' }, { extensions: [events(options)] })
  server.tool('search', { description: 'Searches' }, () => 'found')
  const type = { description: 'An order was placed.', input: z.object({}), payload: z.object({ id: z.string() }) }
  const created = server.event(NAME, { ...type, ...given })
  const plain = createServer({ name: 'plain', version: '1' })
  plain.tool('search', { description: 'Searches' }, () => 'found')
  const { key, hash } = await createApiKey()
  const keys = new Map([[hash, { hash, subject: 'ann', scopes: [] }]])
  const protection = protect({ resource: 'http://127.0.0.1:1/mcp', verify: apiKeys((one) => keys.get(one)) })
  const { url, close } = await serve(withEvents ? server : plain, {
    port: 0,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
    ...protection,
  })
  onTestFinished(close)
  return { url, created, headers: { authorization: `Bearer ${key}` } }
}

/** Starts a receiver. */
async function startReceiver(answer: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const answered = await answer(new Request('http://127.0.0.1/', { method: 'POST', headers, body: Buffer.concat(chunks) }))
    response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const accepts = eventWebhook({ secrets: secret, onEvent: () => {} })
const ALLOW = { options: { webhooks: { allow: ['127.0.0.1'] } } }

interface Target {
  readonly url: string
  readonly headers: Record<string, string>
  readonly protocolVersion?: string
}

async function problemsOf(target: Target, given: DiagnosedEvents): Promise<readonly DiagnosisProblem[]> {
  const { url, headers, protocolVersion } = target
  const options = { headers, events: given, ...(protocolVersion !== undefined && { protocolVersion }) }
  for await (const event of diagnose(url, options))
    if (event.type === 'finished') return event.diagnosis.steps.find(({ step }) => step === 'events')?.problems ?? []
  return []
}

async function expectProblem(target: Target, given: DiagnosedEvents, code: string, says = /./): Promise<void> {
  const [problem, ...others] = await problemsOf(target, given)
  expect({ code: problem?.code, others: others.length }).toEqual({ code, others: 0 })
  expect(problem?.message).toMatch(says)
  expect(problem?.advice).not.toMatch(/^(?:Correct it\.)?$/)
}

test('a host that receives events has no problem, and without the option there is no such step', async () => {
  const shop = await startShop(ALLOW)
  expect(await problemsOf(shop, { name: NAME })).toEqual([])
  expect(await problemsOf(shop, { name: NAME, webhook: { url: await startReceiver(accepts), secret } })).toEqual([])
  for await (const event of diagnose(shop.url, { headers: shop.headers }))
    if (event.type === 'finished') expect(event.diagnosis.steps.map(({ step }) => step)).not.toContain('events')
})

test('the capability is not declared, or not for this host and its revision', async () => {
  await expectProblem(await startShop({ withEvents: false }), { name: NAME }, 'events-not-declared', /io.modelcontextprotocol/)
  await expectProblem(await startShop(), { name: NAME, profile: 'chatgpt' }, 'events-not-declared', /although it answers/)
  await expectProblem({ ...(await startShop()), protocolVersion: '2025-11-25' }, { name: NAME }, 'events-revision', /2025-11-25/)
  expect(await problemsOf(await startShop({ options: { profile: 'chatgpt' } }), { name: NAME, profile: 'chatgpt' })).toEqual([])
})

test('no event type is visible to this user, or not the one that the host wants', async () => {
  await expectProblem(await startShop({ visible: () => false }), { name: NAME }, 'events-none-visible')
  await expectProblem(await startShop({ scopes: ['orders:read'] }), { name: NAME }, 'events-scope')
  await expectProblem(await startShop(), { name: 'order.paid' }, 'events-unknown-type', /order\.created/)
})

test('the delivery modes do not match', async () => {
  await expectProblem(await startShop({ delivery: ['poll'] }), { name: NAME, modes: ['push'] }, 'events-mode', /by poll.*by push/)
  await expectProblem(await startShop(), { name: NAME, webhook: { url: 'https://x.example/', secret } }, 'events-mode', /webhook/)
})

test('the callback is forbidden by the guard, or cannot be reached', async () => {
  const url = await startReceiver(accepts)
  await expectProblem(
    await startShop({ options: { webhooks: true } }),
    { name: NAME, webhook: { url, secret } },
    'webhook-forbidden',
  )
  const closed = { url: 'http://127.0.0.1:1/', secret }
  await expectProblem(await startShop(ALLOW), { name: NAME, webhook: closed }, 'webhook-unreachable', /connection_refused/)
})

test.each([
  ['another answer', () => Response.json({ challenge: 'other' }), 'webhook-challenge'],
  ['no body', () => new Response(null, { status: 204 }), 'webhook-challenge'],
] as const)('the challenge fails: %s', async (_, answer, code) => {
  const url = await startReceiver(answer)
  await expectProblem(await startShop(ALLOW), { name: NAME, webhook: { url, secret } }, code)
})

test('a receiver that refuses the challenge is named', async () => {
  const url = await startReceiver(() => new Response(null, { status: 500 }))
  const [problem] = await problemsOf(await startShop(ALLOW), { name: NAME, webhook: { url, secret } })
  expect(['webhook-unreachable', 'webhook-challenge']).toContain(problem?.code)
})

test('the signature is wrong: secret, clock, headers', async () => {
  const body = '{"eventId":"1"}'
  const now = Date.now()
  const sign = async (timestamp: number, by = secret) => ({
    'webhook-id': '1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await signWebhook(by, { id: '1', timestamp, body }),
  })
  const shop = await startShop(ALLOW)
  const webhook = { url: await startReceiver(accepts), secret }
  const seconds = Math.floor(now / 1000)
  const cases = [
    [await sign(seconds, createWebhookSecret()), 'webhook-signature', /fits the secret/],
    [await sign(seconds - 900), 'webhook-clock', /90\d seconds before/],
    [await sign(seconds + 900), 'webhook-clock', /(?:899|900) seconds after/],
    [{ 'webhook-id': '1' }, 'webhook-headers', /missing/],
  ] as const
  for (const [headers, code, says] of cases)
    await expectProblem(shop, { name: NAME, webhook, delivery: { headers, body, receivedAt: now } }, code, says)
  expect(
    await problemsOf(shop, { name: NAME, webhook, delivery: { headers: await sign(seconds), body, receivedAt: now } }),
  ).toEqual([])
})

test('the subscription has expired', async () => {
  const webhook = { url: await startReceiver(accepts), secret }
  const given = { name: NAME, webhook, refreshBefore: '2026-01-01T00:00:00Z' }
  await expectProblem(await startShop(ALLOW), given, 'webhook-expired', /2026-01-01/)
})

test('the saved cursor is too old', async () => {
  const shop = await startShop()
  await expectProblem(shop, { name: NAME, cursor: 'of another server' }, 'events-truncated')
})

test('deliveries fail, and are suspended', async () => {
  let isOk = true
  const url = await startReceiver((request) => (isOk ? accepts(request) : new Response(null, { status: 500 })))
  const limits = { suspendAfterMs: 0, maxAttempts: 100 }
  const shop = await startShop({ options: { webhooks: { allow: ['127.0.0.1'], limits } } })
  const given = { name: NAME, webhook: { url, secret } }
  expect(await problemsOf(shop, given)).toEqual([])
  isOk = false
  await shop.created?.emit({ id: '1' })
  await expect
    .poll(async () => (await problemsOf(shop, given)).map(({ code }) => code), { timeout: 20_000 })
    .toEqual([expect.stringMatching(/^webhook-(?:failing|suspended)$/)])
  await shop.created?.emit({ id: '2' })
  await expect
    .poll(async () => (await problemsOf(shop, given)).map(({ code }) => code), { timeout: 20_000 })
    .toEqual(['webhook-suspended'])
})
