import { readFile } from 'node:fs/promises'
import { connectAll } from 'portcall/client'

const config = await readFile(process.argv[2] ?? '.mcp.json', 'utf8')
const group = await connectAll(config, {
  onEvent: (event) => {
    if (event.type === 'failed') console.error(`${event.server} is not available:`, event.error)
  },
})

for await (const { name, server, originalName } of group.tools()) console.log(`${name}: ${originalName} of ${server}`)

const { structuredContent } = await group.callTool('todo__add', { title: 'Connect to everything' })
console.log('Added', structuredContent)

await group.close()
