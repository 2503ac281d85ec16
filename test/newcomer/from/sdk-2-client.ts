import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

export async function shop(url: string): Promise<unknown[]> {
  const options = { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' as const } }
  const client = new Client({ name: 'desk', version: '1.0.0' }, options)
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))

  const { tools } = await client.listTools()
  const divided = await client.callTool({ name: 'divide', arguments: { a: 6, b: 3 } })
  const steps: number[] = []
  await client.callTool(
    { name: 'count', arguments: { to: 3 } },
    { onprogress: ({ progress }) => void steps.push(progress), timeout: 10_000 },
  )
  const greeted = await client.callTool({ name: 'greet' })
  const { contents } = await client.readResource({ uri: 'note://7' })
  await client.close()
  return [tools.length, divided.structuredContent, steps, greeted.content, contents]
}
