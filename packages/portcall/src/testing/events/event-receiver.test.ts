import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { connect } from '../../connect/connect.ts'
import { type EventsOptions, events } from '../../events/server/extension.ts'
import { createServer } from '../../server/server.ts'
import { createFakeClock, type FakeClock } from '../fake-clock.ts'
import { type EventReceiverAnswer, eventReceiver } from './event-receiver.ts'

const MINUTE = 60_000
const NAME = 'order.created'

/** A shop with a fake clock and a fake receiver. */
async function open(options: EventsOptions = {}) {
  const clock = createFakeClock({ now: Date.UTC(2026, 10, 28) })
  const restore = clock.install()
  const receiver = eventReceiver()
  const webhooks = { fetch: receiver.fetch, ...(typeof options.webhooks === 'object' && options.webhooks) }
  const problems: unknown[] = []
  const server = createServer(
    { name: 'shop', version: '1' },
    { extensions: [events({ ...options, webhooks })], onEvent: (event) => problems.push(event) },
  )
  const created = server.event(NAME, {
    description: 'A new order.',
    payload: z.object({ id: z.string() }),
    retentionMs: 30 * MINUTE,
  })
  const client = await connect((request, context) => server.exchange(request, { ...context, auth: { principal: 'ann' } }))
  onTestFinished(async () => {
    restore()
    await client.close()
    server.close()
  })
  const { url, secret } = receiver
  const subscribe = (more: object = {}) =>
    client.request('events/subscribe', { name: NAME, arguments: {}, delivery: { mode: 'webhook', url, secret }, ...more })
  const poll = (cursor: unknown) => client.request('events/poll', { name: NAME, arguments: {}, cursor: cursor as string | null })
  const statuses = () => receiver.deliveries.filter(({ type }) => type === 'event').map(({ status }) => status)
  return { clock, receiver, created, client, subscribe, poll, statuses, problems }
}

/** Advances the clock in steps until a condition holds: signatures are made outside of the event loop. */
async function advanceUntil(clock: FakeClock, isMet: () => boolean, stepMs = 1000): Promise<void> {
  for (let step = 0; step < 2000 && !isMet(); step++) await clock.advance(stepMs)
  expect(isMet()).toBe(true)
}

test.each<[answers: EventReceiverAnswer[], statuses: (number | undefined)[]]>([
  [['accept'], [204]],
  [[410], [410]],
  [[413], [413]],
  [[{ status: 429, retryAfterS: 60 }], [429, 204]],
  [
    [500, 503],
    [500, 503, 204],
  ],
  [['disconnect'], [undefined, 204]],
  [['timeout'], [undefined, 204]],
  [
    [500, 500, 500, 500, 500],
    [500, 500, 500, 500, 500],
  ],
])('a delivery is answered with %j', async (answers, expected) => {
  // The time of one delivery is real time. The challenge has the same.
  const limits = answers[0] === 'timeout' ? { timeoutMs: 2000 } : {}
  const { clock, receiver, created, subscribe, statuses } = await open({ webhooks: { limits } })
  await subscribe()
  receiver.answerNext(...answers)
  await created.emit({ id: '1' }, { eventId: 'one' })
  await advanceUntil(clock, () => statuses().length >= expected.length)
  await created.emit({ id: '2' }, { eventId: 'two' })
  await advanceUntil(clock, () => receiver.events.some(({ eventId }) => eventId === 'two'))
  expect(statuses()).toEqual([...expected, 204])
  expect(receiver.deliveries.every(({ signature }) => signature === 'valid')).toBe(true)
})

test('the back-off doubles, and Retry-After is respected, by the fake clock', async () => {
  const { clock, receiver, created, subscribe, statuses } = await open()
  await subscribe()
  receiver.answerNext(500, 500, { status: 503, retryAfterS: 600 })
  await created.emit({ id: '1' })
  await advanceUntil(clock, () => statuses().includes(204))
  const times = receiver.deliveries.filter(({ type }) => type === 'event').map(({ receivedAt }) => receivedAt)
  const gaps = times.slice(1).map((time, at) => (time - (times[at] ?? 0)) / 1000)
  // A delay of 10 s, then of 20 s, each up to a quarter shorter. On a busy machine, the clock runs on during the deliveries.
  expect(gaps[0]).toBeGreaterThanOrEqual(7.5)
  expect(gaps[1]).toBeGreaterThanOrEqual(15)
  expect(gaps[2]).toBeGreaterThanOrEqual(600)
})

test('a wrong challenge fails the subscription', async () => {
  const { receiver, subscribe } = await open()
  receiver.answer = 'wrong_challenge'
  await expect(subscribe()).rejects.toMatchObject({ data: { reason: 'challenge_failed' } })
  receiver.answer = 'accept'
  await subscribe()
  expect(receiver.deliveries.map(({ type, status }) => [type, status])).toEqual([
    ['verification', 200],
    ['verification', 200],
  ])
})

test('a subscription expires, and a refresh keeps it, by the fake clock', async () => {
  const { clock, receiver, created, subscribe } = await open()
  const { refreshBefore } = await subscribe({ ttlMs: 10 * MINUTE })
  expect(Date.parse(String(refreshBefore)) - clock.now()).toBe(10 * MINUTE)
  await clock.advance(9 * MINUTE)
  await subscribe({ ttlMs: 10 * MINUTE })
  await clock.advance(9 * MINUTE)
  await created.emit({ id: '1' })
  await advanceUntil(clock, () => receiver.events.length === 1)
  await clock.advance(11 * MINUTE)
  await created.emit({ id: '2' })
  await clock.advance(MINUTE)
  expect(receiver.events).toHaveLength(1)
})

test('events are kept for the retention, by the fake clock', async () => {
  const { clock, created, poll } = await open()
  const { cursor } = await poll(null)
  await created.emit({ id: '1' })
  await clock.advance(20 * MINUTE)
  expect(await poll(cursor)).toMatchObject({ events: [{ data: { id: '1' } }], truncated: false })
  await clock.advance(20 * MINUTE)
  await created.emit({ id: '2' })
  expect(await poll(cursor)).toMatchObject({ truncated: true })
})
