import { createServer, serveChannel } from 'portcall'
import { connect } from 'portcall/client'
import { channelPair } from 'portcall/jsonrpc'

const server = createServer({ name: 'hello', version: '1.0.0' })
server.tool('ping', { description: 'Check that the server responds' }, () => 'pong')

const [near, far] = channelPair()
serveChannel(server, far)

const client = await connect(near)
const { content } = await client.callTool('ping')
console.log(content)
await client.close()
