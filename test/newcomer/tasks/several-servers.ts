import { connectAll } from 'portcall/client'

const group = await connectAll({
  mcpServers: {
    poet: { command: 'node', args: ['tasks/poet.js'] },
    shapes: { url: `http://127.0.0.1:${process.env.PORT}/mcp` },
  },
})
const names: string[] = []
for await (const { name } of group.tools()) names.push(name)
const { structuredContent } = await group.callTool('shapes__area', { width: 3, height: 4 })
console.log(JSON.stringify({ names: names.sort(), structuredContent }))
await group.close()
