import { readFile } from 'node:fs/promises'
import { enterpriseManaged } from 'portcall/auth/client'
import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'https://notes.example.com/mcp', {
  auth: enterpriseManaged({
    identityProvider: {
      issuer: process.env.SSO ?? 'https://sso.company.example',
      client: { clientId: 'desk', clientSecret: process.env.SSO_SECRET ?? '' },
    },
    client: {
      issuer: process.env.ISSUER ?? 'https://login.example.com',
      clientId: 'desk-at-notes',
      clientSecret: process.env.CLIENT_SECRET ?? '',
    },
    subject: () => readFile('id-token.jwt', 'utf8'),
  }),
})

const { content } = await client.callTool('whoami')
console.log(content)

await client.close()
