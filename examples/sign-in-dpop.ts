import { browserSignIn, fileStore } from 'portcall/auth/client'
import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'https://notes.example.com/mcp', {
  auth: browserSignIn({ clientName: 'Notes', store: fileStore('tokens.json'), dpop: { persist: true } }),
})

const { content } = await client.callTool('whoami')
console.log(content)

await client.close()
