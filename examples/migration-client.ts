import { connect } from 'portcall/client'

export async function shop(url: string): Promise<unknown[]> {
  const client = await connect(url, { info: { name: 'desk', version: '1.0.0' }, elicit: () => ({ name: 'Ada' }) })

  const tools = await client.tools().toArray() // all pages of them
  const divided = await client.callTool('divide', { a: 6, b: 3 })
  const steps: number[] = []
  const onProgress = ({ progress }: { progress: number }): void => void steps.push(progress)
  await client.callTool('count', { to: 3 }, { onProgress, timeouts: { requestTimeoutMs: 10_000 } })
  const greeted = await client.callTool('greet')
  const { contents } = await client.readResource('note://7')
  await client.close()
  return [tools.length, divided.structuredContent, steps, greeted.content, contents]
}
