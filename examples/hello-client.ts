import { connect } from 'portcall/client'

const [url = 'http://127.0.0.1:3000/mcp'] = process.argv.slice(2)
const client = await connect(url)

for await (const { name, description } of client.tools()) console.log(`${name}: ${description}`)

const { content } = await client.callTool('greet', { name: 'Ada' })
console.log(content)

await client.close()
