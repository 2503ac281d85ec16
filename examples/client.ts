import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp')

for await (const { name, description } of client.tools()) console.log(`${name}: ${description}`)

const { isError, content, structuredContent } = await client.callTool('add', { title: 'Read the docs' })
if (isError) console.error('The tool failed:', content)
else console.log('Added', structuredContent)

await client.close()
