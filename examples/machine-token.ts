import { readFile } from 'node:fs/promises'
import { bearerToken } from 'portcall/auth/client'
import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'https://notes.example.com/mcp', {
  auth: bearerToken(async ({ rejectedToken }) => {
    if (rejectedToken !== undefined) console.error('The server has rejected the token')
    return (await readFile('token', 'utf8')).trim()
  }),
})

const { content } = await client.callTool('whoami')
console.log(content)

await client.close()
