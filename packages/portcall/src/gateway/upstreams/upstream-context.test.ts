import { expect, onTestFinished, test } from 'vitest'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { type Notification, notification, success } from '../../jsonrpc/message.ts'
import { bridge } from '../bridge.ts'

const log = (level: string): Notification => notification('notifications/message', { level, data: level })

/** Returns the notifications that a caller gets from a server that sends log messages without being asked, and progress. */
async function receivedWith(meta: object): Promise<unknown[]> {
  const exchange: Exchange = async ({ id, params }, { notify }) => {
    if (params?.name === 'chatty') {
      for (const level of ['debug', 'warning', 'made-up']) await notify(log(level))
      await notify(notification('notifications/progress', { progressToken: 't', progress: 1 }))
    }
    const listed = { ttlMs: 60_000, cacheScope: 'public', tools: [{ name: 'chatty', inputSchema: { type: 'object' } }] }
    return success(id, {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      content: [],
      ...listed,
    })
  }
  const gateway = bridge({ exchange })
  onTestFinished(() => gateway.close())
  const received: unknown[] = []
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    progressToken: 't',
    ...meta,
  }
  const context = { signal: new AbortController().signal, notify: (sent: Notification) => void received.push(sent.params) }
  const request = { jsonrpc: '2.0' as const, id: 1, method: 'tools/call', params: { name: 'chatty', arguments: {}, _meta } }
  expect(await gateway.exchange(request, context)).toHaveProperty('result')
  return received
}

const progress = { progressToken: 't', progress: 1 }
const data = (level: string): object => ({ level, data: level })

test('a caller gets no log messages that it has not asked for', async () => {
  expect(await receivedWith({})).toEqual([progress])
})

test('a caller gets log messages of its level and above, and of levels that do not exist', async () => {
  const level = 'io.modelcontextprotocol/logLevel'
  expect(await receivedWith({ [level]: 'info' })).toEqual([data('warning'), data('made-up'), progress])
  expect(await receivedWith({ [level]: 'debug' })).toEqual([data('debug'), data('warning'), data('made-up'), progress])
})
