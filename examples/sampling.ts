/** Sampling: asking the client's model. */
import { createServer } from 'portcall'

export const server = createServer({ name: 'sampling', version: '1.0.0' })

// #region sample
server.tool('haiku', { description: 'Lets the model of the client write' }, async (_, call) => {
  const { content } = await call.sample({
    messages: [{ role: 'user', content: { type: 'text', text: 'A haiku about ports, please' } }],
    maxTokens: 100,
  })
  const [first] = [content].flat()
  return first?.type === 'text' ? first.text : 'No words came'
})
// #endregion
