import { type ContentBlock, connect } from 'portcall/client'

const [url = 'http://127.0.0.1:3000/mcp', tool = 'picture'] = process.argv.slice(2)
const client = await connect(url)

const { content } = await client.callTool(tool)
for (const block of content) console.log(describe(block))

await client.close()

function describe(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `${block.mimeType}, ${Buffer.from(block.data, 'base64').length} bytes`
    case 'resource_link':
      return `a link to ${block.uri}`
    case 'resource':
      return `the contents of ${block.resource.uri}`
  }
}
