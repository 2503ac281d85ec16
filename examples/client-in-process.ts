/** A client of a server in the same process: no port, no serialization. */
import { createServer } from 'portcall'
import { connect } from 'portcall/client'

const server = createServer({ name: 'clock', version: '1.0.0' })
server.tool('now', { description: 'Returns the current time' }, () => new Date().toISOString())

const client = await connect(server)
console.log(await client.callTool('now'))
await client.close()
