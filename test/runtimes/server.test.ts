/** The fixture on every runtime, tested from Node by raw requests and by the Portcall client. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXPECTED, travel } from './clients/journey.ts'
import { startCounter } from './support/counter.ts'
import { legacy, listen, modern, send, statusFor } from './support/raw.ts'
import { GATEWAYS, HOSTS, type Host } from './support/runtimes.ts'

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'raw', version: '1.0.0' } },
}
const INITIALIZED = { method: 'notifications/initialized' }
const content = (text: string) => [{ type: 'text', text }]
const call = (name: string, args: object = {}) => ({ method: 'tools/call', params: { name, arguments: args } })

/** Defines a test, or skips it with a reason. */
const itUnless = (gap: string | undefined, name: string, run: () => Promise<void>): void =>
  gap === undefined ? it(name, run) : it.skip(`${name} (${gap})`)

describe.each(Object.entries(HOSTS))('%s', (_name, { start, gaps = {} }) => {
  let host: Host
  let url: string
  beforeAll(async () => {
    host = await start()
    url = host.url
  })
  afterAll(() => host?.stop())

  describe('in the newest revision', () => {
    it('lists and calls', async () => {
      const list = await send(url, modern('tools/list'))
      expect(list).toMatchObject({ status: 200, messages: [{ result: { resultType: 'complete' } }] })
      expect(list.messages[0]?.result.tools.map(({ name }: { name: string }) => name)).toEqual(EXPECTED.tools)
      const sum = await send(url, modern('tools/call', { name: 'add', arguments: { a: 2, b: 3 } }))
      expect(sum.messages).toMatchObject([{ result: { structuredContent: { sum: 5 } } }])
    })

    it('validates arguments', async () => {
      const { messages } = await send(url, modern('tools/call', { name: 'add', arguments: { a: 2, b: 'three' } }))
      expect(JSON.stringify(messages)).toMatch(/\bb\b.*number/)
    })

    it('requests input', async () => {
      const greet = { name: 'greet', arguments: {} }
      const asked = await send(url, modern('tools/call', greet))
      expect(asked.messages).toMatchObject([{ result: { resultType: 'input_required' } }])
      const { inputRequests, requestState } = asked.messages[0]!.result
      const answers = Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { name: 'Ada' } }])
      const params = { ...greet, requestState, inputResponses: Object.fromEntries(answers) }
      expect((await send(url, modern('tools/call', params))).messages).toMatchObject([
        { result: { content: content('Hello Ada') } },
      ])
    })

    it('streams progress', async () => {
      const { messages } = await send(url, modern('tools/call', { name: 'count', arguments: {} }, { progressToken: 'p' }))
      const steps = [1, 2, 3].map((progress) => ({
        method: 'notifications/progress',
        params: { progressToken: 'p', progress, total: 3 },
      }))
      expect(messages).toMatchObject([...steps, { result: { content: content('counted') } }])
    })

    itUnless(gaps.changes, 'announces changes', async () => {
      const stream = await listen(url, modern('subscriptions/listen', { notifications: { resourceSubscriptions: ['memo://a'] } }))
      expect(await stream.next()).toMatchObject({ method: 'notifications/subscriptions/acknowledged' })
      await send(url, modern('tools/call', { name: 'change', arguments: {} }))
      expect(await stream.next()).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'memo://a' } })
      await stream.close()
    })

    it('rejects another host', async () => {
      expect(await statusFor(url, 'evil.example')).toBe(403)
      expect(await statusFor(url, new URL(url).host)).toBe(200)
    })
  })

  describe('in a session', () => {
    itUnless(gaps.sessions, 'is opened, requests input, and announces changes on the GET stream', async () => {
      const opened = await send(url, legacy(null, INITIALIZE))
      expect(opened.messages).toMatchObject([{ result: { protocolVersion: '2025-11-25', serverInfo: { name: 'runtimes' } } }])
      const { session } = opened
      expect(session).toMatch(/^[\x21-\x7e]+$/)
      const say = (message: object) => send(url, legacy(session, message))
      expect((await say(INITIALIZED)).status).toBe(202)
      const { headers } = legacy(session, {})
      const standing = await listen(url, { headers: { ...headers, accept: 'text/event-stream' } })

      const greeting = await listen(url, legacy(session, call('greet')))
      const question = await greeting.next()
      expect(question).toMatchObject({ method: 'elicitation/create' })
      await say({ id: question.id, result: { action: 'accept', content: { name: 'Ada' } } })
      expect(await greeting.next()).toMatchObject({ result: { content: content('Hello Ada') } })

      await say({ method: 'resources/subscribe', params: { uri: 'memo://a' } })
      await say(call('change'))
      expect(await standing.next()).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'memo://a' } })
      await standing.close()
      expect((await fetch(url, { method: 'DELETE', headers: { ...headers } })).status).toBeLessThan(300)
      expect((await say(call('change'))).status).toBe(404)
    })
  })

  it('answers legacy clients without a session, unless it has sessions', async () => {
    const sum = await send(url, legacy(null, call('add', { a: 2, b: 3 })))
    if (gaps.sessions) expect(sum).toMatchObject({ session: null, messages: [{ result: { structuredContent: { sum: 5 } } }] })
    else expect(sum.status).toBe(400)
  })

  describe('the Portcall client', () => {
    it('runs the scenario in the newest revision', async () => {
      const missed = { ...(gaps.changes && { change: undefined }), ...(gaps.cancelling && { cancelled: false }) }
      expect(await travel(url, { listens: !gaps.changes })).toEqual({ ...EXPECTED, ...missed })
    })
    itUnless(gaps.sessions, 'goes through a journey in a session', async () => {
      expect(await travel(url, { revision: '2025-11-25' })).toEqual(EXPECTED)
    })
  })

  it('stops on request, and prints nothing', async () => {
    expect(await host.stop()).toBe('')
  })
})

describe.each(Object.entries(GATEWAYS))('a gateway on %s', (name, start) => {
  it('runs the scenario with a server over HTTP, in both eras', async () => {
    const upstream = await startCounter()
    const gateway = await start(upstream.url)
    const cancels = !name.startsWith('workerd')
    const expected = { ...EXPECTED, server: 'portcall-gateway', cancelled: cancels }
    try {
      for (const revision of ['2026-07-28', '2025-11-25'])
        expect(await travel(gateway.url, { revision, cancels })).toEqual(expected)
    } finally {
      expect(await gateway.stop()).toBe('')
      await upstream.close()
    }
  })
})
