/** Streams that break and are resumed, by their owner or by another caller. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import type { StreamEvent } from './support/connection.ts'
import { type HttpServer, type Session, startHttp, testHttp } from './support/http.ts'
import { request, textOf, tool } from './support/messages.ts'
import { sleep, until } from './support/time.ts'

let server: HttpServer
beforeAll(async () => void (server = await startHttp()))
afterAll(() => server.kill())

const textsOf = (events: readonly StreamEvent[]): unknown[] =>
  events.flatMap(({ json }) => (json ? [json.params?.data ?? textOf(json)] : []))
const steps = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, at) => `step ${from + at}`)

/** Starts a call with a few steps, cuts its stream after some of them, and returns the ids of the received events. */
async function cutAfter(session: Session, count: number, args = { count: 6, pauseMs: 60 }): Promise<string[]> {
  const connection = server.connect()
  connection.send(session.post(request('tools/call', tool('steps', args))))
  await connection.head()
  const ids: string[] = []
  for (let received = 0; received < count; ) {
    const event = await connection.event()
    if (event?.id !== undefined) ids.push(event.id)
    if (event?.json) received++
  }
  connection.destroy()
  return ids
}

/** Resumes a stream after an event and reads it to its end. */
async function resume(session: Session, id: string): Promise<unknown[]> {
  const connection = server.connect()
  connection.send(session.get({ 'Last-Event-ID': id }))
  expect((await connection.head()).status).toBe(200)
  const events = await connection.events()
  connection.destroy()
  return textsOf(events)
}

describe('H59', () => {
  test('a client that resumes receives exactly the missed events and the result', async () => {
    const session = await server.session()
    const ids = await cutAfter(session, 2)
    expect(await resume(session, ids.at(-1)!)).toEqual([...steps(3, 6), '6 steps done'])
    await server.healthy()
  })

  test('also when the call has ended meanwhile', async () => {
    const session = await server.session()
    const before = await server.counts()
    const ids = await cutAfter(session, 2)
    await until(async () => (await server.counts()).finished > before.finished, 'the end of the call')
    await sleep(100)
    expect(await resume(session, ids.at(-1)!)).toEqual([...steps(3, 6), '6 steps done'])
    await server.healthy()
  })

  test('also after a second cut, from any event', async () => {
    const session = await server.session()
    const ids = await cutAfter(session, 3)
    const second = server.connect()
    second.send(session.get({ 'Last-Event-ID': ids.at(-1)! }))
    await second.head()
    const next = await second.event()
    second.destroy()
    expect(textsOf([next!])).toEqual(['step 4'])
    expect(await resume(session, next!.id!)).toEqual([...steps(5, 6), '6 steps done'])
    expect(await resume(session, ids.at(-2)!)).toEqual([...steps(3, 6), '6 steps done'])
    await server.healthy()
  })

  test('two streams of a session do not mix', async () => {
    const session = await server.session()
    const [one, two] = await Promise.all([cutAfter(session, 1), cutAfter(session, 3)])
    expect(await resume(session, one!.at(-1)!)).toEqual([...steps(2, 6), '6 steps done'])
    expect(await resume(session, two!.at(-1)!)).toEqual([...steps(4, 6), '6 steps done'])
    await server.healthy()
  })

  test('two readers of one stream receive no event twice', async () => {
    const session = await server.session()
    const ids = await cutAfter(session, 1)
    const readers = [server.connect(), server.connect()]
    for (const reader of readers) reader.send(session.get({ 'Last-Event-ID': ids.at(-1)! }))
    const heads = await Promise.all(readers.map((reader) => reader.head()))
    const all = await Promise.all(
      readers.map(async (reader, at) => (heads[at]!.status === 200 ? textsOf(await reader.events().catch(() => [])) : [])),
    )
    for (const events of all) expect(new Set(events).size).toBe(events.length)
    expect(all.some((events) => events.includes('6 steps done'))).toBe(true)
    for (const reader of readers) reader.destroy()
    await server.healthy()
  })
})

describe('H57: an invalid event id', () => {
  test.each([
    ['a word', 'bogus'],
    ['a number', '1'],
    ['SQL', "' OR 1=1; DROP TABLE events --"],
    ['a path', '../../../etc/passwd'],
    ['__proto__', '__proto__'],
    ['dots', '...'],
    ['8 KB', 'x'.repeat(8192)],
    ['8 KB of dots', '.'.repeat(8192)],
  ])('%s is 400 or 404', async (_, id) => {
    const session = await server.session()
    const answer = await server.send(session.get({ 'Last-Event-ID': id }))
    expect([400, 404]).toContain(answer.status)
    expect(answer.json).toMatchObject({ error: {} })
    await server.healthy()
  })

  test('a modified id is invalid or belongs to the same session', async () => {
    const session = await server.session()
    const ids = await cutAfter(session, 2, { count: 3, pauseMs: 20 })
    const [tag, stream, position] = ids.at(-1)!.split('.')
    for (const id of [
      `${tag}.${stream}.999999`,
      `${tag}.zzz.${position}`,
      `x${tag}.${stream}.${position}`,
      `${tag}.${stream}.-1`,
      `${tag}.${stream}.`,
      `${tag}.${stream}.1e3`,
      `${tag}.__proto__.1`,
    ]) {
      const answer = await server.send(session.get({ 'Last-Event-ID': id }))
      expect([400, 404]).toContain(answer.status)
    }
    await server.healthy()
  })
})

describe('H58: the event id of another session', () => {
  test('discloses nothing', async () => {
    const [victim, attacker] = [await server.session(), await server.session()]
    const ids = await cutAfter(victim, 2)
    for (const id of ids) {
      const answer = await server.send(attacker.get({ 'Last-Event-ID': id }))
      expect([400, 404]).toContain(answer.status)
      expect(answer.body).not.toContain('step')
    }
    expect(await resume(victim, ids.at(-1)!)).toEqual([...steps(3, 6), '6 steps done'])
    await server.healthy()
  })

  test('does not select the stream with the same name in the own session', async () => {
    const [victim, attacker] = [await server.session(), await server.session()]
    const ids = await cutAfter(victim, 2)
    await cutAfter(attacker, 2)
    expect([400, 404]).toContain((await server.send(attacker.get({ 'Last-Event-ID': ids[0]! }))).status)
    await server.healthy()
  })

  test('is invalid after the session was deleted', async () => {
    const session = await server.session()
    const ids = await cutAfter(session, 2)
    await session.remove()
    expect((await server.send(session.get({ 'Last-Event-ID': ids[0]! }))).status).toBe(404)
    await server.healthy()
  })
})

test('the session of another caller is unknown, by every method', async () => {
  const shared = await testHttp({ users: true })
  const victim = await shared.session({ fields: { 'x-user': 'victim' } })
  const attacker = { 'x-user': 'attacker' }
  for (const bytes of [
    victim.post(request('tools/list'), attacker),
    victim.get(attacker),
    victim.get({ ...attacker, 'Last-Event-ID': 'x' }),
  ])
    expect((await shared.send(bytes)).status).toBe(404)
  expect((await victim.ask(request('ping'))).status).toBe(200)
  await shared.healthy()
})

test('resumable streams are limited: a thousand ended streams use little memory', async () => {
  const session = await server.session()
  const run = (): Promise<unknown> => session.call('say', { text: 'x'.repeat(1000) })
  for (let at = 0; at < 50; at++) await run()
  const before = await server.health()
  for (let at = 0; at < 1000; at++) await run()
  await eventually(async () => expect((await server.health()).heapUsed - before.heapUsed).toBeLessThan(1_500_000), {
    intervalMs: 200,
  })
  await server.healthy()
})
