/** Tools with input and output schemas. */
import { createServer, ToolError } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'tools', version: '1.0.0' })

// #region structured
server.tool(
  'divide',
  {
    title: 'Divide',
    description: 'Divides one number by another',
    input: z.object({ dividend: z.number(), divisor: z.number() }),
    output: z.object({ quotient: z.number() }),
    annotations: { readOnlyHint: true },
  },
  ({ dividend, divisor }) => {
    if (divisor === 0) throw new ToolError('The divisor must not be 0')
    return { quotient: dividend / divisor }
  },
)
// #endregion

// #region json-schema
server.tool(
  'shout',
  {
    description: 'Writes a text in capitals',
    input: { type: 'object', properties: { text: { type: 'string', maxLength: 1000 } }, required: ['text'] } as const,
  },
  ({ text }) => text.toUpperCase(),
)
// #endregion

// #region blocks
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

server.tool('picture', { description: 'Shows a picture' }, () => [
  { type: 'text', text: 'One red pixel:' },
  { type: 'image', data: PIXEL, mimeType: 'image/png' },
  { type: 'resource_link', uri: 'https://example.com/pixel.png', name: 'The same on the web' },
])
// #endregion
