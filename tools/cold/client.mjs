import { connect } from 'portcall/client'

const client = await connect('http://127.0.0.1:3000/mcp')
console.log(await client.callTool('echo', { text: 'hello' }))
await client.close()
