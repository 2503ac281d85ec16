/** Messages that are sent as they are: requests and notifications of the revision in use, without translation. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/portcall/src/jsonrpc/message.ts'
import { CASES, openCase } from './support/cases.ts'
import type { TestInspector } from './support/inspector.ts'

const isLegacy = ({ revision }: (typeof CASES)[number]): boolean => revision < '2026'

/** The messages of a method that the inspector has sent. */
async function sentMessages(inspector: TestInspector, method: string): Promise<JsonObject[]> {
  const entries = await inspector.entries()
  return entries.flatMap((entry) =>
    entry.type === 'message' && entry.direction === 'out' && entry.method === method ? [JSON.parse(entry.text)] : [],
  )
}

describe.each(CASES.filter(isLegacy))('$revision over $transport', (one) => {
  test('a request that the newest revision does not have reaches the server as it is', async () => {
    const { inspector, id } = await openCase(one)
    const ping = { type: 'request', method: 'ping', untranslated: true } as const
    expect(await inspector.operate(id, ping)).toMatchObject({ status: 'done', result: {} })
    expect(await sentMessages(inspector, 'ping')).toEqual([{ jsonrpc: '2.0', id: expect.any(Number), method: 'ping' }])
    const level = { method: 'logging/setLevel', params: { level: 'debug' } }
    expect(await inspector.operate(id, { type: 'request', ...level, untranslated: true })).toMatchObject({ status: 'done' })
    expect(await sentMessages(inspector, level.method)).toMatchObject([level])
    const wrong = await inspector.operate(id, { type: 'request', method: 'no/such', untranslated: true })
    expect(wrong).toMatchObject({ status: 'failed', failure: { rpcCode: -32601 } })
    expect(await sentMessages(inspector, 'no/such')).toHaveLength(1)
  })

  test('a log level is set at once', async () => {
    const { inspector, id } = await openCase(one)
    await inspector.operate(id, { type: 'set-log-level', level: 'error' })
    expect(await sentMessages(inspector, 'logging/setLevel')).toMatchObject([{ params: { level: 'error' } }])
  })

  test('a waiting request can be cancelled', async () => {
    const { inspector, id } = await openCase(one)
    const params = { name: 'hang', arguments: {} }
    const request = { type: 'request', method: 'tools/call', params, untranslated: true } as const
    const { operationId } = await inspector.command('operate', { serverId: id, request })
    await expect.poll(async () => (await sentMessages(inspector, 'tools/call')).length).toBe(1)
    await inspector.command('cancel-operation', { operationId })
    expect((await inspector.command('wait-operation', { operationId })).operation.status).toBe('cancelled')
    await expect.poll(async () => (await sentMessages(inspector, 'notifications/cancelled')).length).toBe(1)
  })

  test('a server is notified when the roots change, as the capability says', async () => {
    const { inspector, id } = await openCase(one)
    expect((await sentMessages(inspector, 'initialize')).at(-1)).toMatchObject({
      params: { capabilities: { roots: { listChanged: true } } },
    })
    await inspector.command('set-roots', { serverId: id, roots: [{ uri: 'file:///edited' }] })
    const method = 'notifications/roots/list_changed'
    await expect.poll(() => sentMessages(inspector, method)).toEqual([{ jsonrpc: '2.0', method }])
  })
})

test.each(CASES.filter((one) => !isLegacy(one)))('$revision over $transport has no notification of roots', async (one) => {
  const { inspector, id } = await openCase(one)
  await inspector.command('set-roots', { serverId: id, roots: [{ uri: 'file:///edited' }] })
  const listed = await inspector.operate(id, { type: 'call-tool', name: 'roots', arguments: {} })
  expect(JSON.stringify(listed.result)).toContain('file:///edited')
  expect(await sentMessages(inspector, 'notifications/roots/list_changed')).toEqual([])
})

test.each(CASES)('a notification is sent in $revision over $transport', async (one) => {
  const { inspector, id } = await openCase(one)
  const method = 'notifications/example'
  const sent = await inspector.operate(id, { type: 'notify', method, params: { text: 'hello' } })
  expect(await sentMessages(inspector, method)).toEqual([{ jsonrpc: '2.0', method, params: { text: 'hello' } }])
  expect(sent.status).toBe('done')
})
