import { createServer } from 'portcall'
import { serveStdio } from 'portcall/stdio'

const server = createServer({ name: 'cold', version: '1.0.0' })
const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
server.tool('echo', { description: 'Says it again', input }, ({ text }) => text)
await serveStdio(server)
