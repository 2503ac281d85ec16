import { deviceCode, fileStore } from 'portcall/auth/client'
import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'https://notes.example.com/mcp', {
  auth: deviceCode({
    clientName: 'Notes',
    store: fileStore('tokens.json'),
    prompt: ({ userCode, verificationUri }) => console.log(`Open ${verificationUri.href} and enter ${userCode}`),
  }),
})

const { content } = await client.callTool('whoami')
console.log(content)

await client.close()
