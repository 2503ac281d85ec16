/** Input requests to the client, and responses that are late, invalid, duplicate or from another client. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import type { Connection } from './support/connection.ts'
import { type HttpServer, type Session, startHttp, testHttp } from './support/http.ts'
import { type Params, request, textOf, tool } from './support/messages.ts'
import { type StdioServer, testStdio } from './support/stdio.ts'
import { sleep, within } from './support/time.ts'

const capabilities = { elicitation: {} }
const accept = { action: 'accept', content: { name: 'Alice' } }

let server: HttpServer
beforeAll(async () => void (server = await startHttp()))
afterAll(() => server.kill())

/** A call that waits for the response to its input request. */
interface Asking {
  session: Session
  connection: Connection
  id: unknown
}

async function startAsking(fields: { [name: string]: string } = {}, from = server): Promise<Asking> {
  const session = await from.session({ capabilities, fields })
  const connection = from.connect()
  connection.send(session.post(request('tools/call', tool('ask'))))
  await connection.head()
  for (let event = await connection.event(); event; event = await connection.event())
    if (event.json?.method === 'elicitation/create') return { session, connection, id: event.json.id }
  throw new Error('The server sent no input request')
}

/** Reads the text of the result of the call. */
async function resultOf({ connection }: Asking): Promise<string | undefined> {
  const events = await connection.events()
  connection.destroy()
  return textOf(events.at(-1)?.json)
}

const answer = (id: unknown, result: unknown = accept): Params => ({ jsonrpc: '2.0', id, result })

describe('over HTTP', () => {
  test('H51: another session cannot answer', async () => {
    const [pendingCall, other] = [await startAsking(), await startAsking()]
    const forged = { action: 'accept', content: { name: 'Mallory' } }
    const otherSession = await server.session({ capabilities })
    expect((await server.send(otherSession.post(answer(pendingCall.id, forged)))).status).toBe(202)
    if (other.id !== pendingCall.id) await server.send(other.session.post(answer(pendingCall.id, forged)))
    await sleep(100)
    expect((await server.send(pendingCall.session.post(answer(pendingCall.id)))).status).toBe(202)
    expect(await resultOf(pendingCall)).toBe('names: Alice')
    await server.send(other.session.post(answer(other.id)))
    expect(await resultOf(other)).toBe('names: Alice')
    await server.healthy()
  })

  test('another caller cannot answer, even with the id of the session', async () => {
    const shared = await testHttp({ users: true })
    const pendingCall = await startAsking({ 'x-user': 'victim' }, shared)
    const forged = answer(pendingCall.id, { action: 'accept', content: { name: 'Mallory' } })
    expect((await shared.send(pendingCall.session.post(forged, { 'x-user': 'thief' }))).status).toBe(404)
    await shared.send(pendingCall.session.post(answer(pendingCall.id)))
    expect(await resultOf(pendingCall)).toBe('names: Alice')
    await shared.healthy()
  })

  test('responses with ids of another type, unknown ids and duplicate responses have no effect', async () => {
    const pendingCall = await startAsking()
    const wrongIds = [
      String(pendingCall.id),
      Number(pendingCall.id),
      `${pendingCall.id} `,
      `${pendingCall.id}.0`,
      '__proto__',
      'constructor',
      -1,
    ].filter((id) => id !== pendingCall.id)
    for (const id of wrongIds)
      expect((await server.send(pendingCall.session.post(answer(id, { action: 'decline' })))).status).toBeLessThan(500)
    await server.send(pendingCall.session.post(answer(pendingCall.id)))
    await server.send(pendingCall.session.post(answer(pendingCall.id, { action: 'decline' })))
    expect(await resultOf(pendingCall)).toBe('names: Alice')
    await server.healthy()
  })

  test.each<[string, unknown]>([
    ['an error', { error: { code: -32603, message: 'CANARY-FROM-CLIENT' } }],
    ['an error with an unusual code', { error: { code: 2 ** 40, message: 'x', data: { deep: [] } } }],
    ['a decline', { result: { action: 'decline' } }],
    ['a cancel', { result: { action: 'cancel' } }],
  ])('%s ends the call, and the session stays usable', async (_, more) => {
    const pendingCall = await startAsking()
    await server.send(pendingCall.session.post({ jsonrpc: '2.0', id: pendingCall.id, ...(more as object) }))
    const last = (await pendingCall.connection.events()).at(-1)?.json
    expect(last?.error !== undefined || last?.result !== undefined).toBe(true)
    expect(textOf(last)).not.toBe('names: Alice')
    pendingCall.connection.destroy()
    expect(textOf(await pendingCall.session.call('echo', { text: 'x' }))).toBe('x')
    await server.healthy()
  })

  test.each<[string, unknown]>([
    ['an empty result', {}],
    ['an unknown action', { action: 'maybe' }],
    ['invalid content', { action: 'accept', content: { name: 42 } }],
    ['missing content', { action: 'accept' }],
    ['content that is a list', { action: 'accept', content: [] }],
    ['prototype pollution', JSON.parse('{"action":"accept","content":{"__proto__":{"name":"Mallory"}}}')],
  ])('%s, repeated, ends in an error and not in a loop', async (_, result) => {
    const pendingCall = await startAsking()
    let { id } = pendingCall
    let rounds = 0
    let last: unknown
    for (; rounds < 200; rounds++) {
      await server.send(pendingCall.session.post(answer(id, result)))
      const event = await pendingCall.connection.event()
      if (event?.json?.method !== 'elicitation/create') {
        last = event?.json
        break
      }
      id = event.json.id
    }
    expect(rounds).toBeLessThan(100)
    expect(last).toBeDefined()
    expect(JSON.stringify(last)).not.toMatch(/names: /)
    pendingCall.connection.destroy()
    expect((await server.health()).polluted).toEqual([])
    await server.healthy()
  })

  test('H52: cancelling a call ends its input request, and a late response is ignored', async () => {
    const pendingCall = await startAsking()
    const { session, connection, id } = pendingCall
    const second = await startAsking()
    await server.send(second.session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'other' } }))
    await session.remove()
    const remaining = await within(2000, connection.events(), 'the end of the stream')
    expect(remaining.filter(({ json }) => json?.result !== undefined)).toEqual([])
    expect((await server.send(session.post(answer(id)))).status).toBe(404)
    await server.send(second.session.post(answer(second.id)))
    expect(await resultOf(second)).toBe('names: Alice')
    await server.healthy()
  })

  test('500 unanswered input requests do not leak', async () => {
    const before = await server.health()
    for (let round = 0; round < 10; round++) {
      const all = await Promise.all(Array.from({ length: 50 }, () => startAsking()))
      await Promise.all(all.map(({ session }) => session.remove()))
      for (const { connection } of all) connection.destroy()
    }
    await eventually(async () => expect((await server.health()).heapUsed - before.heapUsed).toBeLessThan(3_000_000), {
      intervalMs: 200,
    })
    await server.healthy()
  })
})

describe('over stdio', () => {
  const start = async (): Promise<StdioServer> => {
    const program = testStdio()
    await program.ask(
      request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'x', version: '1' } }),
    )
    return program
  }

  test('S18: late, duplicate and mismatched responses have no effect', async () => {
    const program = await start()
    program.send(request('tools/call', tool('ask'), 'asking'))
    const { id } = await program.next(({ method }) => method === 'elicitation/create')
    for (const wrongId of [`${id}`, Number(id), `${id}0`, '__proto__'].filter((each) => each !== id))
      program.send(answer(wrongId, { action: 'decline' }))
    program.send(answer(id), answer(id, { action: 'decline' }))
    expect(textOf(await program.next(({ id }) => id === 'asking'))).toBe('names: Alice')
    program.send(answer(id))
    await program.healthy()
    expect(program.messages.filter(({ id }) => id === 'asking')).toHaveLength(1)
  })

  test('S17: cancelling a call cancels its input request', async () => {
    const program = await start()
    program.send(request('tools/call', tool('ask'), 'asking'))
    const inputRequest = await program.next(({ method }) => method === 'elicitation/create')
    program.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'asking' } })
    const cancelled = await program.next(({ method }) => method === 'notifications/cancelled')
    expect(cancelled.params).toMatchObject({ requestId: inputRequest.id })
    program.send(answer(inputRequest.id))
    await program.healthy()
    expect(program.messages.filter(({ id }) => id === 'asking')).toEqual([])
  })

  test('a client that sends requests with the same ids is answered', async () => {
    const program = await start()
    program.send(request('tools/call', tool('ask'), 1))
    const { id } = await program.next(({ method }) => method === 'elicitation/create')
    expect(textOf(await program.ask(request('tools/call', tool('echo', { text: 'x' }), id === 1 ? 2 : id)))).toBe('x')
    program.send(answer(id))
    expect(textOf(await program.next((message) => message.id === 1 && message.result !== undefined))).toBe('names: Alice')
    await program.healthy()
  })
})
