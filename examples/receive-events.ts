import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { events as servedEvents } from 'portcall/events'
import { events } from 'portcall/events/client'
import * as z from 'zod'

const server = createServer({ name: 'shop', version: '1.0.0' }, { extensions: [servedEvents()] })
const created = server.event(
  'order.created',
  {
    description: 'A new order was placed in a region.',
    input: z.object({ region: z.string() }),
    payload: z.object({ orderId: z.string(), region: z.string() }),
  },
  { match: ({ data }, { arguments: { region } }) => data.region === region },
)

const client = await connect(server, { extensions: [events()] })
for (const { name, delivery } of await client.events.list().toArray()) console.log(name, delivery)

const subscription = await client.events.on('order.created', { region: 'eu' }, ({ data }, { close }) => {
  console.log(data)
  if (data.orderId === '7733') void close()
})
await created.emit({ orderId: '7731', region: 'eu' })
await created.emit({ orderId: '7732', region: 'us' })
await created.emit({ orderId: '7733', region: 'eu' })

await subscription.ended
await client.close()
