/** A server with one tool for each thing that agents have to deal with. */
import { createServer, type Server, ToolError } from 'portcall'
import { type Client, type ConnectOptions, connect } from 'portcall/client'
import { onTestFinished } from 'vitest'

/** A PNG image with one pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const ADD = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' }, unit: { type: 'string' } },
  required: ['a', 'b'],
} as const

function createAgentServer(): Server {
  const server = createServer({ name: 'agents', version: '1.0.0' })
  server.tool('math.add', { description: 'Add two numbers', input: ADD }, ({ a, b, unit }) => `${a + b}${unit ?? ''}`)
  server.tool('picture', { description: 'Draw' }, () => [
    { type: 'text', text: 'A pixel' },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
  ])
  server.tool('fail', { description: 'Fail' }, () => {
    throw new ToolError('the printer is on fire')
  })
  server.tool('ask', { description: 'Ask the user' }, async (_, call) => {
    const { name } = await call.elicit('Who are you?', {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    } as const)
    return `Hello, ${name}`
  })
  server.tool('work', { description: 'Report progress' }, async (_, call) => {
    await call.progress(1, 2, 'half')
    return 'done'
  })
  server.tool('summarize', { description: 'Ask the model' }, async (_, call) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Summarize: long text' } }]
    const { content } = await call.sample({ messages, maxTokens: 100, systemPrompt: 'Be brief' })
    return JSON.stringify(content)
  })
  server.tool('wait', { description: 'Wait until the call is canceled' }, (_, call) => {
    return new Promise<string>((_resolve, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason)))
  })
  return server
}

/** Connects to the server until the test ends. */
export async function connectAgent(options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(createAgentServer(), {
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    ...options,
  })
  onTestFinished(() => client.close())
  return client as Client
}
