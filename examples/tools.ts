/** Tools: what goes in, what comes out, what goes wrong. */
import { createServer, ToolError } from 'portcall'
import * as z from 'zod'

// #region events
export const server = createServer(
  { name: 'tools', version: '1.0.0' },
  {
    onEvent: (event) => {
      if (event.type === 'error') console.error(`[${event.reference}] ${event.method} ${event.name ?? ''}`, event.error)
      else console.error(event.message)
    },
  },
)
// #endregion

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

// #region slow
server.tool(
  'count',
  {
    description: 'Counts slowly',
    input: z.object({ to: z.int().min(1).max(100) }),
    timeoutMs: 30_000,
  },
  async ({ to }, call) => {
    for (let step = 1; step <= to; step++) {
      call.signal.throwIfAborted()
      await call.progress(step, to, `at ${step}`)
      await call.log('debug', { step })
    }
    return `Counted to ${to}`
  },
)
// #endregion

// #region headers
server.tool(
  'query',
  {
    description: 'Runs a query in a region',
    input: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }), text: z.string() }),
  },
  ({ region, text }) => `${text} in ${region}`,
)
// #endregion

// #region visible
server.tool(
  'purge',
  { description: 'Removes everything', visible: (call) => call.auth?.scopes?.includes('admin') ?? false },
  () => 'Done',
)
// #endregion

// #region change
server.tool('maintenance', { description: 'Switches counting on and off' }, () => {
  const on = server.tools.names().includes('count')
  if (on) server.tools.disable('count')
  server.tools.update('maintenance', { description: 'Counting is off' })
  return on ? 'Counting is off' : 'There is nothing to switch off'
})
// #endregion
