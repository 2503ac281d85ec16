import { describe, expect, test } from 'vitest'
import { CLIENT_INFO, callerFor, openClient } from '../../../test-kit/legacy/client.ts'
import { createScriptedLegacyServer, type ScriptedReply } from '../../../test-kit/legacy/scripted-server.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { NegotiationError } from '../negotiate.ts'

describe('handshake', () => {
  test('LIFE-001, LIFE-003, LIFE-007: initialize requests the newest version, and is followed by initialized', async () => {
    const server = createScriptedLegacyServer()
    await (await openClient(server.channel)).close()
    expect(server.received).toMatchObject([
      {
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
          clientInfo: CLIENT_INFO,
        },
      },
      { method: 'notifications/initialized' },
    ])
  })

  test('an older version receives only capabilities and fields that it defines', async () => {
    const server = createScriptedLegacyServer({ initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: {} }) })
    await (await openClient(server.channel, { versions: ['2024-11-05'] })).close()
    expect(server.received[0]).toMatchObject({
      params: { capabilities: { sampling: {}, roots: {} }, clientInfo: { name: 'tester', version: '1' } },
    })
    expect(JSON.stringify(server.received[0])).not.toMatch(/elicitation|title/)
  })

  test('LIFE-011: an unsupported version is an error that lists all supported ones, and closes the connection', async () => {
    for (const protocolVersion of ['2027-01-01', '2026-07-28', null, 7]) {
      const server = createScriptedLegacyServer({ initialize: () => ({ protocolVersion, capabilities: {} }) })
      const error = await openClient(server.channel, { versions: ['2025-06-18', '2025-03-26'] }).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(NegotiationError)
      expect(error).toMatchObject({
        code: 'NEGOTIATION_FAILED',
        requested: '2025-06-18',
        supported: ['2025-06-18', '2025-03-26'],
        offered: protocolVersion,
      })
      expect((error as Error).message).toContain('2025-06-18, 2025-03-26')
      expect(server.methods()).toEqual(['initialize'])
    }
  })

  test('LIFE-009: another supported version is accepted', async () => {
    const server = createScriptedLegacyServer({ initialize: () => ({ protocolVersion: '2024-11-05', capabilities: {} }) })
    expect((await openClient(server.channel)).revision.version).toBe('2024-11-05')
  })

  test('LIFE-014: after a rejection that lists versions, one of them is requested', async () => {
    const server = createScriptedLegacyServer({
      initialize({ protocolVersion }) {
        if (protocolVersion === '2025-11-25')
          throw new RpcError(-32602, 'Unsupported protocol version', { supported: ['2024-11-05'] })
        return { protocolVersion, capabilities: {} }
      },
    })
    expect((await openClient(server.channel)).revision.version).toBe('2024-11-05')
    const refusing = createScriptedLegacyServer({
      initialize: () => {
        throw new RpcError(-32603, 'no')
      },
    })
    await expect(openClient(refusing.channel)).rejects.toMatchObject({ name: 'RpcError', code: -32603 })
  })

  test('LIFE-015: aborting a handshake closes the connection instead of cancelling the request', async () => {
    const server = createScriptedLegacyServer({ initialize: undefined as unknown as ScriptedReply })
    const signal = AbortSignal.timeout(20)
    await expect(openClient(server.channel, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(server.methods()).toEqual(['initialize'])
    await expect(openClient(createScriptedLegacyServer().channel, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('a server that disconnects during the handshake', async () => {
    const server = createScriptedLegacyServer({ initialize: undefined as unknown as ScriptedReply })
    const opening = openClient(server.channel)
    await Promise.all([expect(opening).rejects.toMatchObject({ code: 'CONNECTION_LOST', retryable: true }), server.close()])
  })

  test('70.5: capabilities may be absent, true, false or null', async () => {
    const discover = async (capabilities: unknown, protocolVersion = '2025-11-25'): Promise<unknown> => {
      const server = createScriptedLegacyServer({
        initialize: () => ({ protocolVersion, capabilities, instructions: null, serverInfo: { name: 'x', title: null } }),
      })
      return callerFor(await openClient(server.channel)).result('server/discover')
    }
    expect(await discover(undefined)).toMatchObject({ capabilities: {}, _meta: { [MetaKey.serverInfo]: { name: 'x' } } })
    expect(await discover(null)).not.toHaveProperty('instructions')
    const read = await discover({
      tools: true,
      resources: { subscribe: true, listChanged: null },
      prompts: false,
      logging: null,
      completions: true,
      tasks: {},
    })
    expect(read).toMatchObject({ capabilities: { tools: {}, resources: { subscribe: true }, completions: {} } })
    expect((read as JsonObject).capabilities).toEqual({ tools: {}, resources: { subscribe: true }, completions: {} })
    expect(await discover({ prompts: {} }, '2024-11-05')).toMatchObject({ capabilities: { completions: {} } })
    expect(await discover({ tools: {} }, '2024-11-05')).toHaveProperty('capabilities', { tools: {} })
  })
})
