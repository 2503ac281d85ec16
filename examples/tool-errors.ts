/** Tools that fail: what the model sees, and what only the operator sees. */
import { createServer, type ServerEvent, ToolError } from 'portcall'
import * as z from 'zod'

export const events: ServerEvent[] = []

// #region events
export const server = createServer(
  { name: 'tool-errors', version: '1.0.0' },
  {
    onEvent: (event) => {
      events.push(event)
      if (event.type === 'error') console.error(`[${event.reference}] ${event.method} ${event.name ?? ''}`, event.error)
      else console.error(event.message)
    },
  },
)
// #endregion

// #region throws
const stock = new Map([['pear', 3]])

server.tool('take', { description: 'Takes a fruit', input: z.object({ fruit: z.string() }) }, ({ fruit }) => {
  const left = stock.get(fruit)
  if (left === undefined) throw new ToolError(`There is no ${fruit}`)
  if (left === 0) throw new Error('The shelf is broken: only the operator sees this')
  stock.set(fruit, left - 1)
  return `${left - 1} left`
})
// #endregion
