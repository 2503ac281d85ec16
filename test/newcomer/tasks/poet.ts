import { createServer } from 'portcall'
import { serveStdio } from 'portcall/stdio'

const server = createServer({ name: 'tasks', version: '1.0.0' })

server.tool('haiku', { description: 'Writes a haiku' }, async (_args, call) => {
  const { content } = await call.sample({
    messages: [{ role: 'user', content: { type: 'text', text: 'Write a haiku about ships' } }],
    maxTokens: 100,
  })
  const [first] = [content].flat()
  return first?.type === 'text' ? first.text : 'The model returned no text'
})

await serveStdio(server)
