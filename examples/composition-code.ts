import { createServer } from 'portcall'
import { codeMode } from 'portcall/compose'
import { z } from 'zod'

const ORDERS = Array.from({ length: 200 }, (_, id) => ({ id, customer: `customer-${id % 7}`, cents: 100 + ((id * 37) % 900) }))

export const server = createServer({ name: 'orders', version: '1.0.0' })
  .tool('list_orders', { description: 'List the ids of all orders', output: z.object({ ids: z.array(z.number()) }) }, () => ({
    ids: ORDERS.map(({ id }) => id),
  }))
  .tool(
    'get_order',
    {
      description: 'Return one order',
      input: z.object({ id: z.number() }),
      output: z.object({ customer: z.string(), cents: z.number() }),
    },
    ({ id }) => {
      const { customer = '', cents = 0 } = ORDERS[id] ?? {}
      return { customer, cents }
    },
  )

server.use(codeMode({ limits: { maxCalls: 500 } }))
