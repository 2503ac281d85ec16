import { readFile } from 'node:fs/promises'
import { workloadIdentity } from 'portcall/auth/client'
import { connect } from 'portcall/client'

const tokenFile = process.env.TOKEN_FILE ?? '/var/run/secrets/tokens/login'

const client = await connect(process.argv[2] ?? 'https://notes.example.com/mcp', {
  auth: workloadIdentity({ assertion: () => readFile(tokenFile, 'utf8') }),
})

const { content } = await client.callTool('whoami')
console.log(content)

await client.close()
