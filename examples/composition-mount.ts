import { createServer } from 'portcall'
import { mount } from 'portcall/compose'
import { z } from 'zod'

const billing = createServer({ name: 'billing', version: '1.0.0' })
  .tool(
    'invoices',
    { description: 'List open invoices', input: z.object({ customer: z.string() }) },
    ({ customer }) => `Invoice 17 of ${customer}: 40 EUR`,
  )
  .tool('refund', { description: 'Refund an invoice', input: z.object({ id: z.number() }) }, async ({ id }, call) => {
    await call.elicit(`Really refund invoice ${id}?`, z.object({}))
    return `Refunded invoice ${id}`
  })

const crm = createServer({ name: 'crm', version: '1.0.0' })
  .tool('find_customer', { description: 'Find a customer', input: z.object({ name: z.string() }) }, ({ name }) => `${name}, Oslo`)
  .resource('crm://customers/{name}', { description: 'One customer' }, ({ name }) => `Everything about ${name}`)

const support = createServer({ name: 'support', version: '1.0.0' }).tool(
  'hours',
  { description: 'When support is available' },
  () => 'Monday to Friday, 9 to 17',
)

export const server = mount(mount(support, billing, { prefix: 'billing' }), crm, { prefix: 'crm' })
