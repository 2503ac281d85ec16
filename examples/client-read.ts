import { connect, expandTemplate } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp')

const { serverInfo, instructions } = await client.discover()
console.log(`${serverInfo?.name}: ${instructions}`)

for (const { uriTemplate } of await client.resourceTemplates().toArray()) console.log(uriTemplate)

const { contents } = await client.readResource(expandTemplate('todo://{id}', { id: '1' }))
for (const item of contents) console.log(item.uri, 'text' in item ? item.text : Buffer.from(item.blob, 'base64'))

const { messages } = await client.getPrompt('plan')
for (const { role, content } of messages) console.log(role, content)

await client.close()
