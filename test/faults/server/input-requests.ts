import type { Server } from 'portcall'

/** Tools that require input from the client. */
export function addInputTools(server: Server): void {
  const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

  server.tool(
    'ask',
    { input: { type: 'object', properties: { topic: { type: 'string' } } } },
    async ({ topic = 'names' }, call) => {
      await call.step('secret step', () => 'CANARY-IN-STATE')
      const answer = await call.elicit(`What about ${topic}?`, name)
      return `${topic}: ${answer.name}`
    },
  )

  server.tool('ask-again', { description: 'The same question as `ask`.' }, async (_, call) => {
    const answer = await call.elicit('What about names?', name)
    return `again: ${answer.name}`
  })
}
