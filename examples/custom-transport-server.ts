import { once } from 'node:events'
import { connect as connectSocket, createServer as createSocketServer } from 'node:net'
import { createServer, serveChannel } from 'portcall'
import { connect } from 'portcall/client'
import { socketChannel } from './custom-transport.ts'

const server = createServer({ name: 'hello', version: '1.0.0' })
server.tool('greet', { description: 'Greet the caller' }, () => 'Hello!')

// Server
const listener = createSocketServer((socket) => void serveChannel(server, socketChannel(socket)))
listener.listen(0, '127.0.0.1')
await once(listener, 'listening')

// Client
const address = listener.address()
const client = await connect(socketChannel(connectSocket(typeof address === 'object' ? (address?.port ?? 0) : 0)))
console.log(await client.callTool('greet'))

await client.close()
listener.close()
