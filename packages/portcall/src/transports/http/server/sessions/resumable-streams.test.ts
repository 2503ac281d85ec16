import { describe, expect, test, vi } from 'vitest'
import { eventually } from '../../../../../test-kit/eventually.ts'
import { listen, type RawConnection } from '../../../../../test-kit/raw-connection.ts'
import { call, openSession, type RawSession } from '../../../../../test-kit/raw-session.ts'
import { createTestCore } from '../../../../../test-kit/test-core.ts'
import { createMemoryLog } from '../../../../stores/memory/log.ts'
import type { HttpOptions } from '../options.ts'

async function startServer(options: HttpOptions = {}, version = '2025-11-25') {
  const core = createTestCore()
  const { connect } = await listen(core.exchange, options)
  return { core, connect, client: await openSession(connect, version) }
}

/** Opens or resumes a stream with a GET and waits for the response headers. */
async function read(connect: () => RawConnection, client: RawSession, headers = {}): Promise<RawConnection> {
  const raw = connect().send(client.get(headers))
  expect((await raw.head()).status).toBe(200)
  return raw
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

/** Creates a gate that is closed at first. `opened` resolves when it is open. */
function createGate() {
  const gate = { open: (): void => {}, opened: Promise.resolve(), close: (): void => {} }
  gate.close = () => void (gate.opened = new Promise((resolve) => void (gate.open = resolve)))
  gate.close()
  return gate
}

describe('the GET stream', () => {
  test('carries change notifications from when it is opened', async () => {
    const { core, connect, client } = await startServer()
    const raw = await read(connect, client)
    expect(await raw.event()).toMatchObject({ id: expect.any(String), retry: '1000', data: '' })
    core.notifyChange()
    expect((await raw.event()).json).toMatchObject({ method: 'notifications/tools/list_changed' })
  })

  test('starts without an empty event in revisions without polling', async () => {
    const { core, connect, client } = await startServer({}, '2025-06-18')
    const raw = await read(connect, client)
    core.notifyChange()
    expect(await raw.event()).toMatchObject({ id: expect.any(String), json: { method: 'notifications/tools/list_changed' } })
  })

  test('H60 may be opened several times; each message is sent on the newest one only', async () => {
    const { core, connect, client } = await startServer({}, '2025-06-18')
    const [first, second] = [await read(connect, client), await read(connect, client)]
    core.notifyChange()
    await second.event()
    await second.close()
    await eventually(async () => {
      core.notifyChange('notifications/prompts/list_changed')
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(first.text).toContain('prompts/list_changed')
    })
    expect(first.text).not.toContain('tools/list_changed')
  })

  test('H60 above the limit, the oldest one ends', async () => {
    const { connect, client } = await startServer({ maxSessionStreams: 2 }, '2025-06-18')
    const first = await read(connect, client)
    await read(connect, client)
    await read(connect, client)
    await first.until('0\r\n\r\n')
  })

  test('requires a client that accepts event streams', async () => {
    const { connect, client } = await startServer()
    expect(
      (
        await connect()
          .send(client.get({ Accept: 'application/json' }))
          .response()
      ).status,
    ).toBe(406)
  })

  test('carries heartbeat comments', async () => {
    const { connect, client } = await startServer({ heartbeatIntervalMs: 20 })
    await (await read(connect, client)).until(':\n\n')
  })

  test('resumes with the messages that were sent while it was disconnected', async () => {
    const { core, connect, client } = await startServer()
    const raw = await read(connect, client)
    const { id } = await raw.event()
    await raw.close()
    core.notifyChange()
    core.notifyChange('notifications/prompts/list_changed')
    const again = await read(connect, client, { 'Last-Event-ID': id })
    expect((await again.event()).json.method).toBe('notifications/tools/list_changed')
    expect((await again.event()).json.method).toBe('notifications/prompts/list_changed')
    core.notifyChange('notifications/resources/list_changed')
    expect((await again.event()).json.method).toBe('notifications/resources/list_changed')
  })
})

describe('the stream of a call', () => {
  test('H59 resumes with exactly the missed messages, and continues live', async () => {
    const { core, connect, client } = await startServer()
    const raw = connect().send(client.post(call('hold', { notify: true })))
    await raw.head()
    const { id: start } = await raw.event()
    const { id: seen, json } = await raw.event()
    expect(json.params.progress).toBe(1)
    await raw.close()
    const whole = await read(connect, client, { 'Last-Event-ID': start })
    expect((await whole.event()).json.params.progress).toBe(1)
    const rest = await read(connect, client, { 'Last-Event-ID': seen })
    await whole.until('0\r\n\r\n')
    core.release()
    expect((await rest.event()).json.params.progress).toBe(2)
    const last = await rest.event()
    expect(last.json).toMatchObject({ id: 1, result: {} })
    await rest.until('0\r\n\r\n')
    const ended = await read(connect, client, { 'Last-Event-ID': seen })
    expect((await ended.event()).json.params.progress).toBe(2)
    expect((await ended.event()).id).toBe(last.id)
    await ended.until('0\r\n\r\n')
    await (await read(connect, client, { 'Last-Event-ID': last.id })).until('0\r\n\r\n')
  })

  test('H59 that ends while a client resumes it ends for that client with the response', async () => {
    const log = createMemoryLog()
    const [appending, reading] = [createGate(), createGate()]
    appending.open()
    const slow = {
      ...log,
      append: (key: string, data: string) => appending.opened.then(() => log.append(key, data)),
      read: (key: string, after?: string) => log.read(key, after).finally(() => reading.opened),
    }
    const { core, connect, client } = await startServer({ eventLog: slow })
    const raw = connect().send(client.post(call('hold', { notify: true })))
    await raw.head()
    await raw.event()
    const { id: seen } = await raw.event()
    await raw.close()
    appending.close()
    core.release()
    const again = connect().send(client.get({ 'Last-Event-ID': seen }))
    await wait(50)
    appending.open()
    await wait(50)
    reading.open()
    await again.head()
    expect((await again.event()).json.params.progress).toBe(2)
    expect((await again.event()).json).toMatchObject({ id: 1, result: {} })
    await again.until('0\r\n\r\n')
  })

  test('may be released by the server and polled by the client', async () => {
    const { core, connect, client } = await startServer()
    const raw = connect().send(client.post(call('hold', { retryDelayMs: 70 })))
    await raw.head()
    const { id } = await raw.event()
    expect(await raw.event()).toEqual({ retry: '70' })
    await raw.until('0\r\n\r\n')
    const again = await read(connect, client, { 'Last-Event-ID': id })
    core.release()
    expect((await again.event()).json).toMatchObject({ id: 1, result: { content: [{ text: 'hold' }] } })
    await again.until('0\r\n\r\n')
  })

  test('is not released in revisions without polling', async () => {
    const { core, connect, client } = await startServer({}, '2025-06-18')
    const raw = connect().send(client.post(call('hold', { retryDelayMs: 70 })))
    await eventually(() => expect(core.running).toBe(1))
    core.release()
    expect((await raw.response()).json.id).toBe(1)
  })

  test('H57 invalid event ids are refused', async () => {
    const { connect, client } = await startServer()
    const raw = await read(connect, client)
    const id = (await raw.event()).id as string
    const [prefix, stream] = id.split('.')
    const invalid = [
      'x',
      "' OR 1=1 --",
      'a.b.c',
      `${prefix}.zz.1`,
      `${prefix}.${stream}.x`,
      `${prefix}.${stream}.999`,
      `${id}0`,
      `${prefix}.__proto__.1`,
      'y'.repeat(8000),
      '..',
    ]
    for (const value of invalid) {
      const answer = await connect()
        .send(client.get({ 'Last-Event-ID': value }))
        .response()
      expect([400, 404]).toContain(answer.status)
      expect(answer.json.error.code).toBe(-32600)
    }
    expect(
      (
        await connect()
          .send(client.get({ 'Last-Event-ID': id, 'Mcp-Session-Id': undefined }))
          .response()
      ).status,
    ).toBe(400)
  })

  test('H58 the event ids of one session are unknown in another', async () => {
    const { connect, client } = await startServer()
    const { id } = await (await read(connect, client)).event()
    const other = await openSession(connect)
    await (await read(connect, other)).event()
    expect(
      (
        await connect()
          .send(other.get({ 'Last-Event-ID': id }))
          .response()
      ).status,
    ).toBe(404)
    const forged = (id as string).replace(/^[^.]+/, (await (await read(connect, other)).event()).id?.split('.')[0] ?? '')
    expect(
      (
        await connect()
          .send(other.get({ 'Last-Event-ID': forged }))
          .response()
      ).status,
    ).toBe(404)
  })

  test('is deleted when too many later streams have ended', async () => {
    const { connect, client } = await startServer({ maxResumableStreams: 2 })
    const ids: string[] = []
    for (let at = 0; at < 4; at++) {
      const raw = connect().send(client.post(call('progress', {}, at)))
      await raw.head()
      ids.push((await raw.event()).id as string)
      await raw.until('0\r\n\r\n')
    }
    const statuses: number[] = []
    for (const id of ids)
      statuses.push(
        (
          await connect()
            .send(client.get({ 'Last-Event-ID': id }))
            .head()
        ).status,
      )
    expect(statuses).toEqual([404, 404, 200, 200])
  })

  test('without a working log it cannot be resumed, but carries the response', async () => {
    const log = createMemoryLog()
    const onError = vi.fn()
    const { connect, client } = await startServer({
      eventLog: { ...log, append: () => Promise.reject(new Error('disk full')) },
      onError,
    })
    const raw = connect().send(client.post(call('progress')))
    await raw.head()
    expect(await raw.event()).toEqual({ retry: '1000', data: '' })
    const event = await raw.event()
    expect(event.id).toBeUndefined()
    expect(event.json.params.progress).toBe(1)
    for (let text = ''; !text.includes('sent 3'); ) text = String((await raw.event()).data)
    expect(onError).toHaveBeenCalled()
  })

  test('without a log its events have no ids', async () => {
    const { connect, client } = await startServer({ eventLog: null })
    const answer = await connect()
      .send(client.post(call('progress')))
      .response()
    expect(answer.body).not.toContain('id: ')
    expect(answer.body.match(/^data: /gm)).toHaveLength(4)
  })

  test('leaves nothing in the log when the session has ended', async () => {
    const log = createMemoryLog()
    const keys = new Set<string>()
    const spy = { ...log, append: (key: string, data: string) => keys.add(key) && log.append(key, data) }
    const { connect, client } = await startServer({ eventLog: spy })
    await connect()
      .send(client.post(call('progress')))
      .response()
    await (await read(connect, client)).event()
    connect().send(client.post(call('hold', { notify: true }, 2)))
    await eventually(() => expect(keys.size).toBe(3))
    await connect().send(client.delete()).response()
    await eventually(async () => {
      for (const key of keys) expect(await log.read(key)).toEqual([])
    })
    for (const key of keys) expect(key).toContain(client.id)
  })

  test('names the owner of a session in the keys of the log, without the principal', async () => {
    const log = createMemoryLog()
    const keys: string[] = []
    const core = createTestCore()
    const { connect } = await listen(core.exchange, {
      authenticate: ({ header }) => ({ principal: header('authorization') ?? 'nobody' }),
      eventLog: {
        ...log,
        append(key, data) {
          keys.push(key)
          return log.append(key, data)
        },
      },
    })
    const owners: string[] = []
    for (const authorization of ['ada', 'eve', 'ada']) {
      keys.length = 0
      const client = await openSession(connect, '2025-11-25', { authorization })
      await connect()
        .send(client.post(call('progress')))
        .response()
      const [key = ''] = keys
      expect(key).toContain(client.id)
      expect(key).not.toContain(authorization)
      owners.push(key.slice(0, key.lastIndexOf('/')))
    }
    const [ada, eve, again] = owners
    expect(again).toBe(ada)
    expect(eve).not.toBe(ada)
  })
})
