import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'prompts', version: '1.0.0' })

server.prompt('standup', { description: 'Prepare the stand-up meeting' }, () => 'What did I work on yesterday, and what is next?')

server.prompt(
  'review',
  {
    title: 'Review code',
    description: 'Ask for a code review',
    arguments: z.object({
      code: z.string().describe('The code to review'),
      tone: z.enum(['kind', 'strict']).default('kind').describe('kind or strict'),
    }),
  },
  ({ code, tone }) => [
    { role: 'user', content: { type: 'text', text: `Review this code. Be ${tone}.` } },
    { role: 'user', content: { type: 'text', text: code } },
  ],
)
