import { describe, expect, test } from 'vitest'
import { callerFor, openClient } from '../../../test-kit/legacy/client.ts'
import { createScriptedLegacyServer } from '../../../test-kit/legacy/scripted-server.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { MetaKey } from '../../protocol/meta.ts'

describe('log levels', () => {
  test('the level follows the open requests', async () => {
    const server = createScriptedLegacyServer({ 'tools/list': () => ({}), 'logging/setLevel': () => ({}) })
    const client = await openClient(server.channel)
    for (const level of ['info', 'info', 'debug', undefined, 'error'])
      await callerFor(client, level ? { [MetaKey.logLevel]: level } : {}).result('tools/list')
    const levels = server.received.flatMap((message) =>
      'method' in message && message.method === 'logging/setLevel' ? [message.params?.level] : [],
    )
    expect(levels).toEqual(['info', 'debug', 'error'])
  })

  test('the level is not set without the capability; a rejection is ignored', async () => {
    const without = createScriptedLegacyServer({
      initialize: () => ({ protocolVersion: '2025-11-25', capabilities: {} }),
      'tools/list': () => ({}),
    })
    await callerFor(await openClient(without.channel), { [MetaKey.logLevel]: 'info' }).result('tools/list')
    expect(without.methods()).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
    const refusing = createScriptedLegacyServer({
      'tools/list': () => ({}),
      'logging/setLevel': () => {
        throw new RpcError(-32601, 'no')
      },
    })
    expect(
      await callerFor(await openClient(refusing.channel), { [MetaKey.logLevel]: 'info' }).result('tools/list'),
    ).toMatchObject({
      tools: [],
    })
  })
})
