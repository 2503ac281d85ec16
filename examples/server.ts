import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'orders', version: '1.0.0' }, { instructions: 'Looks up orders of the online shop.' })

const orders = new Map([
  ['4711', 'shipped'],
  ['4712', 'paid'],
])

server.tool('order_status', { description: 'Get the status of an order', input: z.object({ id: z.string() }) }, ({ id }) => {
  return orders.get(id) ?? 'unknown'
})

server.resource('orders://{id}', { title: 'Order', mimeType: 'text/plain' }, ({ id }) => orders.get(id))

server.prompt('summary', { description: 'Summarize all orders' }, () => `Summarize these orders: ${JSON.stringify([...orders])}`)
