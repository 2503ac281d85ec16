import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp', {
  headers: () => ({ authorization: `Bearer ${process.env.TOKEN}` }),
})

const { content } = await client.callTool('whoami', {}, { headers: { 'x-tenant': 'acme' } })
console.log(content)

await client.close()
