import { connect } from 'portcall/client'

const client = await connect(
  { command: 'node', args: ['todo.js', '--stdio'], env: { LOG_LEVEL: 'debug' } },
  { restart: true, onStderr: (text) => process.stderr.write(text) },
)

const { content } = await client.callTool('finish', { id: 1 })
console.log(content)

await client.close()
