import { createServer } from 'portcall'

export const server = createServer({ name: 'settings', version: '1.0.0' })

// Text
server.resource('config://settings', { title: 'Settings', mimeType: 'application/json' }, () =>
  JSON.stringify({ color: 'green' }),
)

// Bytes
server.resource('bin://seed', { title: 'Seed', mimeType: 'application/octet-stream', size: 3 }, () => new Uint8Array([1, 2, 3]))

// A stream of text or bytes
server.resource('log://today', { title: 'Log', mimeType: 'text/plain', maxBytes: 64 * 1024 }, async function* () {
  yield 'first line\n'
  yield 'second line\n'
})
