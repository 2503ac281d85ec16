import { createServer, ToolError } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'tools', version: '1.0.0' })

// Returns text
server.tool(
  'shout',
  { description: 'Write a text in capital letters', input: z.object({ text: z.string().max(1000) }) },
  ({ text }) => text.toUpperCase(),
)

// Returns structured data
server.tool(
  'divide',
  {
    title: 'Divide',
    description: 'Divide one number by another',
    input: z.object({ dividend: z.number(), divisor: z.number() }),
    output: z.object({ quotient: z.number() }),
    annotations: { readOnlyHint: true },
  },
  ({ dividend, divisor }) => {
    if (divisor === 0) throw new ToolError('The divisor must not be 0')
    return { quotient: dividend / divisor }
  },
)

// Returns text and an image
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

server.tool('picture', { description: 'Draw a picture' }, () => [
  { type: 'text', text: 'One red pixel:' },
  { type: 'image', data: PIXEL, mimeType: 'image/png' },
])
