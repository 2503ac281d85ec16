import { describe, expect, test, vi } from 'vitest'
import { createTestCore } from '../../../test-kit/core.ts'
import { eventually } from '../../../test-kit/eventually.ts'
import { call, type LegacyClient, openSession } from '../../../test-kit/legacy.ts'
import { listen, type Raw } from '../../../test-kit/raw.ts'
import { createMemoryLog } from '../../stores/memory-log.ts'
import type { HttpOptions } from './options.ts'

async function site(options: HttpOptions = {}, version = '2025-11-25') {
  const core = createTestCore()
  const { connect } = await listen(core.exchange, options)
  return { core, connect, client: await openSession(connect, version) }
}

/** Opens the GET stream and waits for its head. */
async function read(connect: () => Raw, client: LegacyClient, headers = {}): Promise<Raw> {
  const raw = connect().send(client.get(headers))
  expect((await raw.head()).status).toBe(200)
  return raw
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

/** What others wait at until it is opened; at first it is closed. */
function gate() {
  const made = { open: (): void => {}, opened: Promise.resolve(), close: (): void => {} }
  made.close = () => void (made.opened = new Promise((resolve) => void (made.open = resolve)))
  made.close()
  return made
}

describe('the GET stream', () => {
  test('tells of changes, from when it is opened', async () => {
    const { core, connect, client } = await site()
    const raw = await read(connect, client)
    expect(await raw.event()).toMatchObject({ id: expect.any(String), retry: '1000', data: '' })
    core.change()
    expect((await raw.event()).json).toMatchObject({ method: 'notifications/tools/list_changed' })
  })

  test('has no empty event where the revision does not know it', async () => {
    const { core, connect, client } = await site({}, '2025-06-18')
    const raw = await read(connect, client)
    core.change()
    expect(await raw.event()).toMatchObject({ id: expect.any(String), json: { method: 'notifications/tools/list_changed' } })
  })

  test('H60 may be open several times; each message goes out on one of them, the newest', async () => {
    const { core, connect, client } = await site({}, '2025-06-18')
    const [first, second] = [await read(connect, client), await read(connect, client)]
    core.change()
    await second.event()
    await second.end()
    await eventually(async () => {
      core.change('notifications/prompts/list_changed')
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(first.text).toContain('prompts/list_changed')
    })
    expect(first.text).not.toContain('tools/list_changed')
  })

  test('H60 has a limit; the oldest one ends', async () => {
    const { connect, client } = await site({ maxSessionStreams: 2 }, '2025-06-18')
    const first = await read(connect, client)
    await read(connect, client)
    await read(connect, client)
    await first.until('0\r\n\r\n')
  })

  test('needs somebody who reads streams', async () => {
    const { connect, client } = await site()
    expect(
      (
        await connect()
          .send(client.get({ Accept: 'application/json' }))
          .answer()
      ).status,
    ).toBe(406)
  })

  test('is kept alive by comments', async () => {
    const { connect, client } = await site({ keepAliveMs: 20 })
    await (await read(connect, client)).until(':\n\n')
  })

  test('resumes after a break, with what came meanwhile', async () => {
    const { core, connect, client } = await site()
    const raw = await read(connect, client)
    const { id } = await raw.event()
    await raw.end()
    core.change()
    core.change('notifications/prompts/list_changed')
    const again = await read(connect, client, { 'Last-Event-ID': id })
    expect((await again.event()).json.method).toBe('notifications/tools/list_changed')
    expect((await again.event()).json.method).toBe('notifications/prompts/list_changed')
    core.change('notifications/resources/list_changed')
    expect((await again.event()).json.method).toBe('notifications/resources/list_changed')
  })
})

describe('the stream of a call', () => {
  test('H59 resumes with exactly what was missed, and goes on live', async () => {
    const { core, connect, client } = await site()
    const raw = connect().send(client.post(call('hold', { say: true })))
    await raw.head()
    const { id: start } = await raw.event()
    const { id: seen, json } = await raw.event()
    expect(json.params.progress).toBe(1)
    await raw.end()
    const whole = await read(connect, client, { 'Last-Event-ID': start })
    expect((await whole.event()).json.params.progress).toBe(1)
    const rest = await read(connect, client, { 'Last-Event-ID': seen })
    await whole.until('0\r\n\r\n')
    core.release()
    expect((await rest.event()).json.params.progress).toBe(2)
    const last = await rest.event()
    expect(last.json).toMatchObject({ id: 1, result: {} })
    await rest.until('0\r\n\r\n')
    const late = await read(connect, client, { 'Last-Event-ID': seen })
    expect((await late.event()).json.params.progress).toBe(2)
    expect((await late.event()).id).toBe(last.id)
    await late.until('0\r\n\r\n')
    await (await read(connect, client, { 'Last-Event-ID': last.id })).until('0\r\n\r\n')
  })

  test('H59 that ends while somebody comes back to it ends for them with its answer', async () => {
    const log = createMemoryLog()
    const [appending, reading] = [gate(), gate()]
    appending.open()
    const slow = {
      ...log,
      append: (key: string, data: string) => appending.opened.then(() => log.append(key, data)),
      read: (key: string, after?: string) => log.read(key, after).finally(() => reading.opened),
    }
    const { core, connect, client } = await site({ log: slow })
    const raw = connect().send(client.post(call('hold', { say: true })))
    await raw.head()
    await raw.event()
    const { id: seen } = await raw.event()
    await raw.end()
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

  test('may be closed by the server, and polled', async () => {
    const { core, connect, client } = await site()
    const raw = connect().send(client.post(call('hold', { retryMs: 70 })))
    await raw.head()
    const { id } = await raw.event()
    expect(await raw.event()).toEqual({ retry: '70' })
    await raw.until('0\r\n\r\n')
    const again = await read(connect, client, { 'Last-Event-ID': id })
    core.release()
    expect((await again.event()).json).toMatchObject({ id: 1, result: { content: [{ text: 'hold' }] } })
    await again.until('0\r\n\r\n')
  })

  test('is not closed early where clients do not poll', async () => {
    const { core, connect, client } = await site({}, '2025-06-18')
    const raw = connect().send(client.post(call('hold', { retryMs: 70 })))
    await eventually(() => expect(core.running).toBe(1))
    core.release()
    expect((await raw.answer()).json.id).toBe(1)
  })

  test('H57 bogus ids are refused', async () => {
    const { connect, client } = await site()
    const raw = await read(connect, client)
    const id = (await raw.event()).id as string
    const [tag, stream] = id.split('.')
    const bogus = [
      'x',
      "' OR 1=1 --",
      'a.b.c',
      `${tag}.zz.1`,
      `${tag}.${stream}.x`,
      `${tag}.${stream}.999`,
      `${id}0`,
      `${tag}.__proto__.1`,
      'y'.repeat(8000),
      '..',
    ]
    for (const value of bogus) {
      const answer = await connect()
        .send(client.get({ 'Last-Event-ID': value }))
        .answer()
      expect([400, 404]).toContain(answer.status)
      expect(answer.json.error.code).toBe(-32600)
    }
    expect(
      (
        await connect()
          .send(client.get({ 'Last-Event-ID': id, 'Mcp-Session-Id': undefined }))
          .answer()
      ).status,
    ).toBe(400)
  })

  test('H58 the event ids of one session are nothing to another', async () => {
    const { connect, client } = await site()
    const { id } = await (await read(connect, client)).event()
    const other = await openSession(connect)
    await (await read(connect, other)).event()
    expect(
      (
        await connect()
          .send(other.get({ 'Last-Event-ID': id }))
          .answer()
      ).status,
    ).toBe(404)
    const forged = (id as string).replace(/^[^.]+/, (await (await read(connect, other)).event()).id?.split('.')[0] ?? '')
    expect(
      (
        await connect()
          .send(other.get({ 'Last-Event-ID': forged }))
          .answer()
      ).status,
    ).toBe(404)
  })

  test('is forgotten when enough others have ended since', async () => {
    const { connect, client } = await site({ maxEndedStreams: 2 })
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

  test('a log that fails costs resumption, not the answer', async () => {
    const log = createMemoryLog()
    const onError = vi.fn()
    const { connect, client } = await site({ log: { ...log, append: () => Promise.reject(new Error('disk full')) }, onError })
    const raw = connect().send(client.post(call('progress')))
    await raw.head()
    expect(await raw.event()).toEqual({ retry: '1000', data: '' })
    const event = await raw.event()
    expect(event.id).toBeUndefined()
    expect(event.json.params.progress).toBe(1)
    for (let text = ''; !text.includes('told 3'); ) text = String((await raw.event()).data)
    expect(onError).toHaveBeenCalled()
  })

  test('without a log there are no ids', async () => {
    const { connect, client } = await site({ log: null })
    const answer = await connect()
      .send(client.post(call('progress')))
      .answer()
    expect(answer.body).not.toContain('id: ')
    expect(answer.body.match(/^data: /gm)).toHaveLength(4)
  })

  test('leaves nothing in the log when the session has ended', async () => {
    const log = createMemoryLog()
    const keys = new Set<string>()
    const spy = { ...log, append: (key: string, data: string) => keys.add(key) && log.append(key, data) }
    const { connect, client } = await site({ log: spy })
    await connect()
      .send(client.post(call('progress')))
      .answer()
    await (await read(connect, client)).event()
    connect().send(client.post(call('hold', { say: true }, 2)))
    await eventually(() => expect(keys.size).toBe(3))
    await connect().send(client.remove()).answer()
    await eventually(async () => {
      for (const key of keys) expect(await log.read(key)).toEqual([])
    })
    for (const key of keys) expect(key).toContain(client.id)
  })
})
