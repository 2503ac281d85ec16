import { createServer } from 'portcall'
import { events } from 'portcall/events'
import * as z from 'zod'

export const server = createServer({ name: 'shop', version: '1.0.0' }, { extensions: [events()] })

const Region = z.enum(['eu', 'us'])

const orderCreated = server.event(
  'order.created',
  {
    description: 'A customer has placed an order in a region.',
    input: z.object({ region: Region }),
    payload: z.object({ orderId: z.string(), region: Region }),
  },
  { match: ({ data }, { arguments: { region } }) => data.region === region },
)

let count = 0

server.tool('place_order', { description: 'Place an order', input: z.object({ region: Region }) }, async ({ region }) => {
  const orderId = String(++count)
  await orderCreated.emit({ orderId, region })
  return `Order ${orderId} is placed`
})
