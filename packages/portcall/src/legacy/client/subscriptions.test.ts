import { describe, expect, test } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import { ALL_CAPABILITIES, CLIENT_INFO, callerFor, openClient } from '../../../test-kit/legacy/client.ts'
import { createScriptedLegacyServer, type ScriptedReply } from '../../../test-kit/legacy/scripted-server.ts'
import type { Caller } from '../../../test-kit/server.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { createChannelConnection } from './channel-connection.ts'
import { type LegacyClient, openLegacyClient } from './client.ts'

describe('subscriptions', () => {
  const listen = (client: LegacyClient, notifications: unknown): { caller: Caller; stop(): void; ended: Promise<unknown> } => {
    const controller = new AbortController()
    const listener = callerFor(client)
    const ended = listener
      .request('subscriptions/listen', { notifications }, { signal: controller.signal })
      .catch((error: unknown) => error)
    return { caller: listener, stop: () => controller.abort(new Error('stopped')), ended }
  }

  test('listeners share a subscription, which ends with the last of them', async () => {
    const server = createScriptedLegacyServer({ 'resources/subscribe': () => ({}), 'resources/unsubscribe': () => ({}) })
    const client = await openClient(server.channel)
    const filter = { resourceSubscriptions: ['a:/x', 'a:/x'] }
    const [first, second] = [listen(client, filter), listen(client, filter)]
    await eventually(() => expect(second.caller.notifications.length).toBe(1))
    server.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:/x/child', _meta: { more: 1 } } })
    server.send({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:/xy' } })
    await eventually(() => expect(first.caller.notifications.length).toBe(2))
    expect(first.caller.notifications[1]).toMatchObject({
      params: { uri: 'a:/x/child', _meta: { more: 1, [MetaKey.subscriptionId]: 1 } },
    })
    first.stop()
    await first.ended
    const third = listen(client, filter)
    second.stop()
    third.stop()
    await Promise.all([second.ended, third.ended])
    await eventually(() => expect(server.methods().slice(2)).toEqual(['resources/subscribe', 'resources/unsubscribe']))
    const fourth = listen(client, filter)
    await eventually(() => expect(fourth.caller.notifications.length).toBe(1))
    expect(server.methods().slice(4)).toEqual(['resources/subscribe'])
  })

  test('rejected and unsupported subscriptions are not acknowledged', async () => {
    const server = createScriptedLegacyServer({
      'resources/subscribe': ({ uri }) => {
        if (uri === 'no:') throw new RpcError(-32602, 'no')
        return {}
      },
    })
    const first = listen(await openClient(server.channel), {
      toolsListChanged: true,
      promptsListChanged: false,
      resourceSubscriptions: ['no:', 'yes:', 7],
    })
    await eventually(() => expect(first.caller.notifications.length).toBe(1))
    expect(first.caller.notifications[0]?.params?.notifications).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['yes:'],
    })
    const bare = createScriptedLegacyServer({
      initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} } }),
    })
    const second = listen(await openClient(bare.channel), { toolsListChanged: true, resourceSubscriptions: ['yes:'] })
    await eventually(() => expect(second.caller.notifications.length).toBe(1))
    expect(second.caller.notifications[0]?.params?.notifications).toEqual({})
    expect(
      await callerFor(await openClient(createScriptedLegacyServer().channel)).error('subscriptions/listen', {}),
    ).toMatchObject({
      code: -32602,
    })
  })

  test('after a gap everything is reported as changed', async () => {
    const server = createScriptedLegacyServer({ 'resources/subscribe': () => ({}) })
    const connection = createChannelConnection(server.channel)
    let gap: (() => void) | undefined
    const receive: typeof connection.receive = (handlers) => {
      gap = handlers.onGap
      connection.receive(handlers)
    }
    const client = await openLegacyClient({
      connection: { ...connection, receive },
      info: CLIENT_INFO,
      capabilities: ALL_CAPABILITIES,
      handleInputRequest: async () => ({}),
    })
    const first = listen(client, { promptsListChanged: true, resourceSubscriptions: ['a:'] })
    await eventually(() => expect(first.caller.notifications.length).toBe(1))
    gap?.()
    expect(first.caller.notifications.slice(1)).toMatchObject([
      { method: 'notifications/prompts/list_changed', params: { _meta: { [MetaKey.subscriptionId]: 1 } } },
      { method: 'notifications/resources/updated', params: { uri: 'a:' } },
    ])
  })

  test('they end with the connection, even while they start', async () => {
    const server = createScriptedLegacyServer({ 'resources/subscribe': undefined as unknown as ScriptedReply })
    const client = await openClient(server.channel)
    const [started, starting] = [listen(client, { toolsListChanged: true }), listen(client, { resourceSubscriptions: ['a:'] })]
    await eventually(() => expect(started.caller.notifications.length).toBe(1))
    await server.close()
    expect(await started.ended).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
    expect(await starting.ended).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
  })
})
