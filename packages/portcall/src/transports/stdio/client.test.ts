import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import { callerOf } from '../../../test-kit/server.ts'
import { channelPair } from '../../jsonrpc/channel.ts'
import type { JsonObject, Message, Notification, Request } from '../../jsonrpc/message.ts'
import type { UnexpectedMessage } from '../../jsonrpc/unexpected-message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/types.ts'
import { createChannelExchange } from './client.ts'
import { serveChannel } from './server.ts'

const asServer = ({ exchange }: Pick<Server, 'exchange'>): Server => ({ exchange }) as Server

describe('a channel to a Portcall server', () => {
  test('carries calls, progress and change notifications', async () => {
    const server = createServer({ name: 'ours', version: '1' })
    server.tool('work', { input: { type: 'object' } }, (_, call) => {
      call.progress(1, 2)
      call.log('info', 'note')
      return 'done'
    })
    server.resource('note://1', { name: 'one' }, () => 'text')
    const [here, there] = channelPair()
    serveChannel(server, there)
    const client = createChannelExchange(here)
    onTestFinished(() => client.close())
    const loud = callerOf(asServer(client), {}, { progressToken: 'p', [MetaKey.logLevel]: 'info' })
    const quiet = callerOf(asServer(client))
    const stop = new AbortController()
    const listening = quiet.request(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://1'] } },
      { signal: stop.signal },
    )
    await eventually(() => expect(quiet.notifications.length).toBe(1))
    expect(await loud.result('tools/call', { name: 'work' })).toMatchObject({ content: [{ text: 'done' }] })
    expect(loud.notifications).toMatchObject([
      { params: { progressToken: 'p', progress: 1 } },
      { params: { level: 'info', data: 'note' } },
    ])
    server.resourceUpdated('note://1')
    await eventually(() => expect(quiet.notifications.length).toBe(2))
    for (const { params } of quiet.notifications) expect(params?._meta).toEqual({ [MetaKey.subscriptionId]: 1 })
    stop.abort(new Error('over'))
    await expect(listening).rejects.toThrow('over')
    server.resourceUpdated('note://1')
    expect(await quiet.result('tools/call', { name: 'work' })).toMatchObject({ content: [{ text: 'done' }] })
    expect(quiet.notifications.length).toBe(2)
  })
})

interface Far {
  readonly client: ReturnType<typeof createChannelExchange>
  readonly received: Message[]
  readonly noise: UnexpectedMessage[]
  send(message: unknown): void
  /** Sends a call, and returns the request as it was received. */
  call(
    method: string,
    params?: JsonObject,
    signal?: AbortSignal,
  ): Promise<{ answer: Promise<unknown>; request: Request; notifications: Notification[] }>
  end(): Promise<void>
}

function far(): Far {
  const [here, there] = channelPair()
  const received: Message[] = []
  const noise: UnexpectedMessage[] = []
  there.receive(
    (one) => received.push(('value' in one ? one.value : one) as Message),
    () => {},
  )
  const client = createChannelExchange(here, { onUnexpectedMessage: (one) => noise.push(one) })
  return {
    client,
    received,
    noise,
    send: (message) => void there.send(message as Message),
    async call(method, params = {}, signal = new AbortController().signal) {
      const notifications: Notification[] = []
      const before = received.length
      const answer = client.exchange(
        { jsonrpc: '2.0', id: 'mine', method, params },
        { signal, notify: (one) => void notifications.push(one) },
      )
      answer.catch(() => {})
      await eventually(() => expect(received.length).toBe(before + 1))
      return { answer, request: received.at(-1) as Request, notifications }
    },
    end: () => there.close(),
  }
}

describe('a hand-written server', () => {
  test('C07: request ids are replaced on the channel, and responses must match exactly', async () => {
    const { call, send } = far()
    const [one, two] = [await call('tools/list'), await call('tools/list')]
    expect(one.request.id).not.toEqual(two.request.id)
    for (const id of [String(one.request.id), `${String(one.request.id)}.0`, null, 'mine', {}])
      send({ jsonrpc: '2.0', id, result: { wrong: true } })
    send([
      { jsonrpc: '2.0', id: two.request.id, result: { two: true } },
      { jsonrpc: '2.0', id: one.request.id, error: { code: 1, message: 'one' } },
    ])
    expect(await two.answer).toEqual({ jsonrpc: '2.0', id: 'mine', result: { two: true } })
    expect(await one.answer).toEqual({ jsonrpc: '2.0', id: 'mine', error: { code: 1, message: 'one' } })
  })

  test('STDIO-010: requests are reported and not answered; malformed responses fail their request', async () => {
    const { call, send, noise, received } = far()
    const one = await call('tools/list')
    send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    send({ jsonrpc: '2.0', id: one.request.id, method: 'ping', result: {} })
    send({ jsonrpc: '1.0', id: one.request.id, result: {} })
    await expect(one.answer).rejects.toMatchObject({ code: 'INVALID_RESPONSE' })
    expect(noise.map(({ kind }) => kind)).toEqual(['message', 'message'])
    expect(received.length).toBe(1)
  })

  test('STDIO-013: aborting a request sends a cancellation; late responses are ignored', async () => {
    const { call, send, received, noise } = far()
    const stop = new AbortController()
    const one = await call('tools/call', {}, stop.signal)
    stop.abort(new Error('enough'))
    await expect(one.answer).rejects.toThrow('enough')
    await eventually(() =>
      expect(received.at(-1)).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: one.request.id },
      }),
    )
    send({ jsonrpc: '2.0', id: one.request.id, result: {} })
    await call('tools/list')
    expect(noise).toEqual([])
  })

  test('STDIO-012: change notifications go to their subscription; the server may end it', async () => {
    const { call, send } = far()
    const [one, two, other] = [await call('subscriptions/listen'), await call('subscriptions/listen'), await call('tools/list')]
    const notify = (id: unknown): void =>
      send({
        jsonrpc: '2.0',
        method: 'notifications/tools/list_changed',
        params: { _meta: { [MetaKey.subscriptionId]: id, more: 1 } },
      })
    for (const id of [two.request.id, String(two.request.id), other.request.id, undefined]) notify(id)
    await eventually(() => expect(two.notifications.length).toBe(1))
    expect(two.notifications[0]?.params).toEqual({ _meta: { [MetaKey.subscriptionId]: 'mine', more: 1 } })
    for (const { request } of [two, other])
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: request.id } })
    await expect(two.answer).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
    send({ jsonrpc: '2.0', id: one.request.id, result: { _meta: { [MetaKey.subscriptionId]: one.request.id } } })
    expect(await one.answer).toMatchObject({ result: { _meta: { [MetaKey.subscriptionId]: 'mine' } } })
    send({ jsonrpc: '2.0', id: other.request.id, result: {} })
    expect(await other.answer).toMatchObject({ result: {} })
    expect([one.notifications, other.notifications]).toEqual([[], []])
  })

  test('progress after the response, or with unknown tokens, is ignored', async () => {
    const { call, send } = far()
    const one = await call('tools/call', { _meta: { progressToken: 0 } })
    const { progressToken: token } = { ...(one.request.params?._meta as JsonObject | undefined) }
    const notify = (progressToken: unknown): void =>
      send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } })
    for (const odd of [token, String(token), 'x', null]) notify(odd)
    send({ jsonrpc: '2.0', id: one.request.id, result: {} })
    await one.answer
    notify(token)
    await call('tools/list')
    expect(one.notifications).toMatchObject([{ params: { progressToken: 0 } }])
  })

  test('closing fails pending and later requests; after a local close they are not retryable', async () => {
    const { call, client, end } = far()
    const one = await call('tools/list')
    const reasons: Error[] = []
    client.onClose((reason) => reasons.push(reason))
    await end()
    await expect(one.answer).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
    const context = { signal: new AbortController().signal, notify: () => {} }
    await expect(client.exchange({ jsonrpc: '2.0', id: 1, method: 'x' }, context)).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
    })
    client.onClose((reason) => reasons.push(reason))
    expect(reasons.length).toBe(2)
    const closing = far()
    const two = await closing.call('tools/list')
    await closing.client.close()
    await expect(two.answer).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: false })
  })
})
