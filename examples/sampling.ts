import { createServer } from 'portcall'

export const server = createServer({ name: 'poet', version: '1.0.0' })

server.tool('haiku', { description: 'Write a haiku' }, async (_, call) => {
  const { content } = await call.sample({
    messages: [{ role: 'user', content: { type: 'text', text: 'Write a haiku about ships' } }],
    maxTokens: 100,
  })
  const [first] = [content].flat()
  return first?.type === 'text' ? first.text : 'The model returned no text'
})
