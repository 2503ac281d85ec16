import { createServer } from 'portcall'
import * as z from 'zod'

/** A server that the examples of gateways use. */
export const server = createServer({ name: 'crm', version: '1.0.0' })

server.tool('list_customers', { description: 'List customers', annotations: { readOnlyHint: true } }, () => 'Ada, Grace')

server.tool(
  'delete_customer',
  { description: 'Delete a customer', input: z.object({ name: z.string() }) },
  ({ name }) => `Deleted ${name}`,
)

server.tool(
  'refund',
  { description: 'Refund an order', annotations: { destructiveHint: false }, input: z.object({ amount: z.number() }) },
  ({ amount }) => `Refunded ${amount}`,
)
