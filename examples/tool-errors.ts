import { createServer, ToolError } from 'portcall'
import * as z from 'zod'

const stock = new Map([['pear', 1]])
export const server = createServer({ name: 'fruit', version: '1.0.0' })

server.tool('take', { description: 'Take a fruit', input: z.object({ fruit: z.string() }) }, ({ fruit }) => {
  const left = stock.get(fruit)
  if (left === undefined) throw new ToolError(`There is no ${fruit}. Available: ${[...stock.keys()].join(', ')}`)
  if (left === 0) throw new Error('database host db-7 is unreachable')
  stock.set(fruit, left - 1)
  return `${left - 1} left`
})
