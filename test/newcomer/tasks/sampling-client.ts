import { connect } from 'portcall/client'

const client = await connect(
  { command: 'node', args: ['tasks/poet.js'] },
  {
    sample: async ({ messages }) => ({
      role: 'assistant',
      model: 'test',
      content: { type: 'text', text: `A poem for ${messages.length} message` },
    }),
  },
)
console.log(JSON.stringify((await client.callTool('haiku')).content))
await client.close()
