/** Tools that fail: what the model is told, and what only the author hears. */
import { createServer, type ServerEvent, ToolError } from 'portcall'
import * as z from 'zod'

export const heard: ServerEvent[] = []

// #region events
export const server = createServer(
  { name: 'tool-errors', version: '1.0.0' },
  {
    onEvent: (event) => {
      heard.push(event)
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
  if (left === 0) throw new Error('The shelf is broken: nobody but the author reads this')
  stock.set(fruit, left - 1)
  return `${left - 1} left`
})
// #endregion
