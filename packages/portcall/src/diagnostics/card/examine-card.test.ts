import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CARD_SCHEMA } from '../../protocol/server-card.ts'
import { examineCard } from './examine-card.ts'

const card = {
  $schema: CARD_SCHEMA,
  name: 'com.example/notes',
  version: '1.0.0',
  description: 'Keeps notes.',
}
const GOOD = {
  'content-type': 'application/mcp-server-card+json',
  'access-control-allow-origin': '*',
  etag: '"a"',
  'cache-control': 'max-age=60',
}

async function startCard(createCard: (url: string) => object | string, headers: Record<string, string> = GOOD, status = 200) {
  const server = createHttpServer((request, response) => {
    if (request.headers['if-none-match'] === '"a"') return response.writeHead(304, headers).end()
    const document = createCard(url.href)
    return response.writeHead(status, headers).end(typeof document === 'string' ? document : JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`)
  return url
}

const clientOf = (info: object, protocolVersion = '2026-07-28') => ({
  protocolVersion,
  discover: async () =>
    ({ serverInfo: { name: 'notes', version: '1.0.0', ...info }, supportedVersions: ['2026-07-28'] }) as never,
})

describe('examineCard', () => {
  test('CARD-012 finds no fault in a card that agrees with its server', async () => {
    const url = await startCard((endpoint) => ({
      ...card,
      remotes: [{ type: 'streamable-http', url: endpoint, supportedProtocolVersions: ['2025-11-25', '2026-07-28'] }],
    }))
    const { faults, comparisons } = await examineCard({ url, client: clientOf({}) })
    expect(faults).toEqual([])
    expect(comparisons.map(({ member, verdict }) => [member, verdict])).toEqual([
      ['name', 'same'],
      ['version', 'same'],
      ['remotes[].url', 'same'],
      ['supportedProtocolVersions', 'same'],
    ])
  })

  test('CARD-012 CARD-013 names each difference', async () => {
    const url = await startCard(() => ({
      ...card,
      title: 'Notes',
      remotes: [{ type: 'streamable-http', url: 'https://old.example.com/mcp', supportedProtocolVersions: ['2026-07-28'] }],
    }))
    const { comparisons } = await examineCard({ url, client: clientOf({ name: 'tasks', version: '2.0.0' }, '2025-06-18') })
    expect(comparisons).toEqual([
      { member: 'name', card: 'notes', server: 'tasks', verdict: 'warning' },
      { member: 'version', card: '1.0.0', server: '2.0.0', verdict: 'warning' },
      { member: 'title', card: 'Notes', server: '', verdict: 'warning' },
      { member: 'remotes[].url', card: 'https://old.example.com/mcp', server: url.href, verdict: 'error' },
      { member: 'supportedProtocolVersions', card: '2026-07-28', server: '2026-07-28, 2025-06-18', verdict: 'warning' },
    ])
  })

  test('CARD-004 CARD-014 CARD-015 names what is wrong with how the card is served', async () => {
    const url = await startCard(() => card, { 'content-type': 'application/json' })
    const { faults } = await examineCard({ url })
    expect(faults.map(({ level, message }) => `${level}: ${message.slice(0, 30)}`)).toEqual([
      'warning: the content type is "applicati',
      'warning: there is no ETag: clients have',
      'warning: the card may not be cached: se',
      'warning: pages of other origins cannot ',
    ])
  })

  test.each([
    ['there is none', () => card, 404, /there is no card: the server responds with HTTP 404/],
    ['it is not JSON', () => '{', 200, /the card is not valid: the document must be a JSON object/],
    ['it has no name', () => ({ ...card, name: undefined }), 200, /the card is not valid: name is missing/],
    ['it is too large', () => 'x'.repeat(10 * 1024 * 1024), 200, /larger than/],
  ])('names a broken card: %s', async (_, create, status, message) => {
    const { card: read, faults } = await examineCard({ url: await startCard(create, GOOD, status), client: clientOf({}) })
    expect(read).toBeUndefined()
    expect(faults).toEqual([{ level: 'error', message: expect.stringMatching(message) }])
  })
})
