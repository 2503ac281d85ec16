/** Connects to a URL and calls a tool: `client.ts [URL]`. */
import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp')

for await (const { name, description } of client.tools()) console.log(`${name}: ${description}`)

const { isError, content, structuredContent } = await client.callTool('search', { query: 'error', limit: 3 })
if (isError) console.error('The tool failed:', content)
else console.log('Found:', structuredContent)

await client.close()
