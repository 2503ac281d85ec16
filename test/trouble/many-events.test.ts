/** Ten thousand webhook subscriptions and a hundred events a second, while the processes that deliver are killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from 'portcall/jsonrpc'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startDatabases } from '../support/services/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PROGRAM = fileURLToPath(new URL('support/many-events-process.mjs', import.meta.url))
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const SUBSCRIPTIONS = 10_000
const PER_SECOND = 100
const SECONDS = 30
const EVENTS = PER_SECOND * SECONDS
const KILLS = 3

const folder = temporaryFolder(afterAll)
const { redis, postgres } = await startDatabases()
const BACKENDS: Record<string, { readonly url: string } | undefined> = { sqlite: { url: '' }, redis, postgres }

interface EventProcess {
  ask(message: object): Promise<JsonObject>
  /** Kills the process. */
  kill(): void
  /** When it was killed, in milliseconds since 1970. */
  readonly killedAt: number | undefined
  /** Reports whether it had begun to deliver an event to a subscription, and had not stored the outcome. */
  wasDelivering(eventId: string, subscriptionId: string): boolean
}

function createService(backend: string, url: string) {
  const namespace = `many_events_${process.pid}`
  const children = new Set<ChildProcess>()
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  return async (role: 'worker' | 'emitter'): Promise<EventProcess> => {
    const logFile = join(folder, `${namespace}-${backend}-${children.size}.log`)
    const args = [backend, url || join(folder, `${namespace}.db`), namespace, role, logFile]
    const child = fork(PROGRAM, args, { stdio: 'inherit' })
    children.add(child)
    let lastId = 0
    let killedAt: number | undefined
    const answer = (id: string | number): Promise<JsonObject> =>
      new Promise((resolve) => {
        const listen = (message: JsonObject): void => {
          if (message.id !== id) return
          child.off('message', listen)
          resolve(message)
        }
        child.on('message', listen)
      })
    const ask = (message: object): Promise<JsonObject> => {
      const id = ++lastId
      const answered = answer(id)
      child.send({ id, ...message })
      return answered
    }
    await answer('ready')
    return {
      ask,
      kill() {
        killedAt = Date.now()
        child.kill('SIGKILL')
      },
      get killedAt() {
        return killedAt
      },
      wasDelivering(eventId, subscriptionId) {
        const lines = new Set(readFileSync(logFile, 'utf8').split('\n'))
        return lines.has(`begun ${eventId}`) && !lines.has(`recorded ${subscriptionId}`)
      },
    }
  }
}

/** A delivery that the endpoint has received. */
interface Delivery {
  readonly eventId: string
  readonly subscriptionId: string
  /** When it was answered, in milliseconds since 1970. */
  readonly answeredAt: number
}

/** An endpoint that counts what it receives, and how long after the event. */
async function openEndpoint() {
  const deliveries: Delivery[] = []
  const seen = new Set<string>()
  const delays: number[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const body = JSON.parse(text) as JsonObject
    const eventId = String(body.eventId ?? body.type)
    seen.add(eventId)
    delays.push(Date.now() - Date.parse(String(body.timestamp)))
    response.writeHead(204).end()
    deliveries.push({ eventId, subscriptionId: String(request.headers['x-mcp-subscription-id']), answeredAt: Date.now() })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    seen,
    delay: (fraction: number) => delays.toSorted((a, b) => a - b)[Math.floor(delays.length * fraction)],
  }
}

/** Returns the deliveries after the first one of an event, each with the processes that were killed while they delivered the event. */
function repetitionsOf(deliveries: readonly Delivery[], killed: readonly EventProcess[]) {
  const first = new Map<string, Delivery>()
  return deliveries.flatMap((delivery) => {
    const { eventId, subscriptionId } = delivery
    const before = first.get(eventId)
    first.set(eventId, before ?? delivery)
    if (!before) return []
    const causes = killed.filter((one) => one.wasDelivering(eventId, subscriptionId))
    const killedAfterMs = causes.map(({ killedAt = 0 }) => killedAt - before.answeredAt)
    return [{ eventId, killedAfterMs, repeatedAfterMs: delivery.answeredAt - before.answeredAt }]
  })
}

describe.each(Object.entries(BACKENDS))('%s', (backend, server) => {
  test.skipIf(!server)(
    'delivers each of a hundred events a second to its subscription among ten thousand, while processes are killed',
    async () => {
      const start = createService(backend, server?.url ?? '')
      const endpoint = await openEndpoint()
      const emitter = await start('emitter')
      const startedAt = Date.now()
      await emitter.ask({ subscribe: { count: SUBSCRIPTIONS, url: endpoint.url, secret: SECRET } })
      const subscribedMs = Date.now() - startedAt
      const workers = [await start('worker'), await start('worker')]
      const killed: EventProcess[] = []
      const emittedAt = Date.now()
      const emitting = emitter.ask({ emit: { count: EVENTS, perSecond: PER_SECOND, shards: SUBSCRIPTIONS } })
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep((SECONDS * 1000) / (KILLS + 1))
        const [worker] = workers.splice(0, 1) as [EventProcess]
        worker.kill()
        killed.push(worker)
        workers.push(await start('worker'))
      }
      await emitting
      const emittedMs = Date.now() - emittedAt
      await eventually(() => expect(endpoint.seen.size).toBe(EVENTS), { intervalMs: 200 })
      const deliveredMs = Date.now() - emittedAt
      // What would be doubled arrives now.
      await sleep(5000)
      const repetitions = repetitionsOf(endpoint.deliveries, killed)
      const cpu = (await workers[0]?.ask({}))?.cpu
      console.error(
        `${backend}: ${SUBSCRIPTIONS} subscriptions made in ${subscribedMs} ms; ${EVENTS} events emitted in ${emittedMs} ms, all delivered after ` +
          `${deliveredMs} ms; delay ${endpoint.delay(0.5)} ms (median), ${endpoint.delay(0.99)} ms (99%), ${endpoint.delay(0.9999)} ms (most); ` +
          `${KILLS} processes killed, ${repetitions.length} delivered again with the same id: ${JSON.stringify(repetitions)}; ` +
          `CPU of a worker ${JSON.stringify(cpu)}`,
      )
      expect([...endpoint.seen].toSorted()).toEqual(Array.from({ length: EVENTS }, (_, n) => `n-${n}`).toSorted())
      // A process that is killed between the answer of the endpoint and its record leaves a delivery that looks as if it had not been made. Each such delivery
      // is made once more, and no other.
      const timesRepeated = (wanted: string) => repetitions.filter(({ eventId }) => eventId === wanted).length
      expect(repetitions.filter(({ eventId, killedAfterMs }) => timesRepeated(eventId) > killedAfterMs.length)).toEqual([])
      expect(emittedMs).toBeLessThan(SECONDS * 1000 * 1.5)
    },
    600_000,
  )
})
