import { createServer } from 'portcall'
import { connect } from 'portcall/client'

const server = createServer({ name: 'clock', version: '1.0.0' })
server.tool('now', { description: 'Return the current time' }, () => new Date().toISOString())

const client = await connect(server)
const { content } = await client.callTool('now')
console.log(content)
await client.close()
