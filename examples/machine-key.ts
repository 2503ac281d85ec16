import { readFile } from 'node:fs/promises'
import { clientCredentials } from 'portcall/auth/client'
import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'https://notes.example.com/mcp', {
  auth: clientCredentials({
    client: {
      issuer: process.env.ISSUER ?? 'https://login.example.com',
      clientId: 'nightly',
      privateKey: await readFile('key.pem', 'utf8'),
      algorithm: 'ES256',
    },
    scopes: ['notes:read'],
  }),
})

const { content } = await client.callTool('whoami')
console.log(content)

await client.close()
