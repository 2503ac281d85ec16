import { connect } from 'portcall/client'

const target = process.argv[2] ?? { command: 'node', args: ['todo.js', '--stdio'] }

const client = await connect(target, {
  elicit: ({ message }) => {
    console.log('the server asks:', message)
    return { sure: true }
  },
})

for await (const { name, description } of client.tools()) console.log(`${name}: ${description}`)

const { structuredContent } = await client.callTool('add', { title: 'Write a client' })
console.log('added', structuredContent)

const { contents } = await client.readResource('todo://2')
console.log('read', contents[0])

const { messages } = await client.getPrompt('plan')
console.log('prompt', messages[0]?.content)

const failed = await client.callTool('finish', { id: 99 })
console.log('failed', failed.isError, failed.content)

const cleared = await client.callTool('clear')
console.log('cleared', cleared.content)

await client.close()
