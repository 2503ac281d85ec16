import { describe, expect, test } from 'vitest'
import { eventually } from '../../../test-kit/eventually.ts'
import { callerFor, openClient } from '../../../test-kit/legacy/client.ts'
import { createScriptedLegacyServer, type ScriptedLegacyServer } from '../../../test-kit/legacy/scripted-server.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

describe('URL elicitation', () => {
  const elicitationRequired = (...urls: string[]): RpcError =>
    new RpcError(-32042, 'Open the URL first', {
      elicitations: urls.map((url, index) => ({ mode: 'url', message: `open ${index}`, url, elicitationId: `e${index}` })),
    })

  const scriptCalls = (responses: Array<RpcError | JsonObject>): ScriptedLegacyServer =>
    createScriptedLegacyServer({
      'tools/call'() {
        const next = responses.length > 1 ? responses.shift() : responses[0]
        if (next instanceof RpcError) throw next
        return next
      },
    })
  const accepted = (inputRequired: JsonObject): JsonObject => {
    const keys = Object.keys(isObject(inputRequired.inputRequests) ? inputRequired.inputRequests : {})
    return {
      inputResponses: Object.fromEntries(keys.map((key) => [key, { action: 'accept' }])),
      requestState: inputRequired.requestState,
    }
  }

  test('50.10: -32042 becomes input requests; the call is repeated until the server is satisfied', async () => {
    const server = scriptCalls([
      elicitationRequired('https://a.example/', 'https://b.example/'),
      elicitationRequired('https://a.example/'),
      elicitationRequired('https://c.example/'),
      { content: [] },
    ])
    const { result } = callerFor(await openClient(server.channel))
    const first = await result('tools/call', { name: 't' })
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        e0: { method: 'elicitation/create', params: { mode: 'url', message: 'open 0', url: 'https://a.example/' } },
        e1: { method: 'elicitation/create', params: { mode: 'url', message: 'open 1', url: 'https://b.example/' } },
      },
    })
    const again = result('tools/call', { name: 't', ...accepted(first) })
    await eventually(() => expect(server.methods().filter((method) => method === 'tools/call').length).toBe(2))
    server.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e0' } })
    const second = await again
    expect(second).toMatchObject({ inputRequests: { e0: { params: { url: 'https://c.example/' } } } })
    expect(await result('tools/call', { name: 't', ...accepted(second) })).toEqual({ resultType: 'complete', content: [] })
    expect(JSON.stringify(server.received)).not.toMatch(/inputResponses|requestState/)
  })

  test('a declined URL fails the call; a waiting call can be aborted', async () => {
    const server = scriptCalls([elicitationRequired('https://a.example/')])
    const client = await openClient(server.channel)
    const inputRequired = await callerFor(client).result('tools/call', { name: 't' })
    const declined = { ...accepted(inputRequired), inputResponses: { e0: { action: 'decline' } } }
    expect(await callerFor(client).result('tools/call', { name: 't', ...declined })).toMatchObject({
      isError: true,
      content: [{ type: 'text' }],
    })
    const signal = AbortSignal.timeout(30)
    await expect(
      callerFor(client).request('tools/call', { name: 't', ...accepted(inputRequired) }, { signal }),
    ).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })

  test('a client without URL elicitation returns an error', async () => {
    const client = await openClient(scriptCalls([elicitationRequired('https://a.example/')]).channel, {
      capabilities: { elicitation: { form: {} } },
    })
    const { error } = callerFor(client)
    expect(await error('tools/call', { name: 't' })).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    })
  })
})
