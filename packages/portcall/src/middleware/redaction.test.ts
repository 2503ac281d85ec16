import { expect, it } from 'vitest'
import { connect } from '../connect/connect.ts'
import { createServer } from '../server/server.ts'
import { redactResults } from './redaction.ts'

const KEY = 'sk-abcdefghijklmnop0123'
const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'

it('removes secrets from texts and structured content, and leaves binary data alone', async () => {
  const server = createServer({ name: 'test', version: '1' })
  server.use(redactResults({ fields: ['iban'] }))
  server.tool('read', {}, () => ({
    content: [
      { type: 'text', text: `the key is ${KEY}` },
      { type: 'image', data: IMAGE, mimeType: 'image/png' },
    ],
    structuredContent: { user: 'ada', password: 'hunter2', iban: 'DE02' },
  }))
  server.resource('note://1', { name: 'note' }, () => `password=${KEY}`)
  const client = await connect(server)
  const { content, structuredContent } = await client.callTool('read')
  expect(content).toEqual([
    { type: 'text', text: 'the key is [redacted]' },
    { type: 'image', data: IMAGE, mimeType: 'image/png' },
  ])
  expect(structuredContent).toEqual({ user: 'ada', password: '[redacted]', iban: '[redacted]' })
  const { contents } = await client.readResource('note://1')
  expect(contents).toMatchObject([{ uri: 'note://1', text: 'password=[redacted]' }])
  await client.close()
})
