/** Events on every store: replay by cursor, and deliveries to webhooks from processes that are killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { eventWebhook } from 'portcall/events/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PROGRAM = fileURLToPath(new URL('support/event-process.mjs', import.meta.url))
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
/** As many events as a slow machine can store and deliver in ten seconds. */
const PER_SECOND = 100
const EVENTS = 1000
const KILLS = 4

const folder = temporaryFolder(afterAll)
const { redis, postgres } = await startDatabases()
const BACKENDS: Record<string, { readonly url: string } | undefined> = { sqlite: { url: '' }, redis, postgres }

let created = 0

interface EventProcess {
  readonly child: ChildProcess
  request(method: string, params: JsonObject): Promise<JsonObject>
  emit(count: number, perSecond: number): Promise<unknown>
}

/** Starts processes that share what they store. */
function createService(backend: string, url: string) {
  const namespace = `events_${process.pid}_${created++}`
  const children = new Set<ChildProcess>()
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  return async (role: 'worker' | 'emitter'): Promise<EventProcess> => {
    const child = fork(PROGRAM, [backend, url || join(folder, `${namespace}.db`), namespace, role], { stdio: 'inherit' })
    children.add(child)
    let nextId = 0
    const answer = (id: string | number): Promise<JsonObject> =>
      new Promise((resolve) => {
        const listen = (message: JsonObject): void => {
          if (message.id !== id) return
          child.off('message', listen)
          resolve(message)
        }
        child.on('message', listen)
      })
    const ask = (message: JsonObject): Promise<JsonObject> => {
      const id = ++nextId
      child.send({ id, ...message })
      return answer(id)
    }
    await answer('ready')
    return {
      child,
      async request(method, params) {
        const { response } = await ask({ request: { jsonrpc: '2.0', id: 1, method, params: { _meta: META, ...params } } })
        expect(response).toMatchObject({ result: {} })
        return (response as { result: JsonObject }).result
      },
      emit: (emit, perSecond) => ask({ emit, perSecond }),
    }
  }
}

/** An endpoint that counts what it receives, by the id of the event, and what `eventWebhook` hands on. */
async function openEndpoint() {
  const received: string[] = []
  const handled: string[] = []
  const webhook = eventWebhook({ secrets: SECRET, onEvent: ({ eventId }) => void handled.push(eventId) })
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const body = JSON.parse(text) as JsonObject
    if (body.type !== 'verification') received.push(String(body.eventId ?? body.type))
    const headers = request.headers as Record<string, string>
    const answer = await webhook(new Request('http://127.0.0.1/hook', { method: 'POST', headers, body: text }))
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, handled }
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `n-${n}`)

describe.each(Object.entries(BACKENDS))('%s', (backend, server) => {
  test.skipIf(!server)('EVT-028 EVT-029 another process replays the events after a cursor, in order', async () => {
    const start = createService(backend, server?.url ?? '')
    const [one, other] = [await start('emitter'), await start('emitter')]
    const { cursor } = await one.request('events/poll', { name: 'counted' })
    await one.emit(250, 10_000)
    const seen: unknown[] = []
    let at = cursor
    for (let hasMore: unknown = true; hasMore; ) {
      const page = await other.request('events/poll', { name: 'counted', cursor: at })
      expect(page.truncated).toBe(false)
      seen.push(...(page.events as JsonObject[]).map(({ eventId }) => eventId))
      at = page.cursor
      hasMore = page.hasMore
    }
    expect(seen.toSorted()).toEqual(ids(250).toSorted())
    const odd = await other.request('events/poll', { name: 'counted', arguments: { odd: true }, cursor, maxEvents: 100 })
    expect((odd.events as { data: { n: number } }[]).every(({ data }) => data.n % 2 === 1)).toBe(true)
    expect(odd.events).toHaveLength(100)
  })

  test.skipIf(!server)(
    'EVT-029 EVT-061 EVT-077 no event is lost or handled twice while the processes that deliver are killed',
    async () => {
      const start = createService(backend, server?.url ?? '')
      const endpoint = await openEndpoint()
      const emitter = await start('emitter')
      const workers = [await start('worker'), await start('worker')]
      const delivery = { mode: 'webhook', url: endpoint.url, secret: SECRET }
      const { id } = await emitter.request('events/subscribe', { name: 'counted', cursor: null, delivery })
      const emitted = emitter.emit(EVENTS, PER_SECOND)
      for (let kill = 0; kill < KILLS; kill++) {
        const before = endpoint.received.length
        await eventually(() => expect(endpoint.received.length).toBeGreaterThan(before + 50))
        await sleep(500)
        workers.shift()?.child.kill('SIGKILL')
        workers.push(await start('worker'))
      }
      await emitted
      await eventually(() => expect(new Set(endpoint.received).size).toBe(EVENTS))
      expect((await emitter.request('events/subscribe', { name: 'counted', cursor: null, delivery })).id).toBe(id)
      const repeated = endpoint.received.length - EVENTS
      console.error(`${backend}: ${EVENTS} events, ${KILLS} processes killed, ${repeated} delivered again with the same id`)
      // A process that is killed after the answer, and before it is saved, cannot know it.
      expect(repeated).toBeLessThanOrEqual(KILLS)
      expect(endpoint.handled.toSorted()).toEqual(ids(EVENTS).toSorted())
    },
    180_000,
  )
})
