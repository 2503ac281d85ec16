import { connect } from 'portcall/client'

const url = process.argv[2] ?? 'http://127.0.0.1:3000/mcp'
const client = await connect(url, { elicit: () => ({ time: '19:30' }) })
const { structuredContent } = await client.callTool('book_table', { guests: 4 })
console.log(structuredContent)
await client.close()
