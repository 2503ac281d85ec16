import { connect } from 'portcall/client'

const readToken = async (): Promise<string> => process.env.TOKEN ?? ''

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp', {
  headers: async () => ({ authorization: `Bearer ${await readToken()}` }),
})

const { content } = await client.callTool('whoami', {}, { headers: { 'x-tenant': 'acme' } })
console.log(content)

await client.close()
