/** A form with approval: the model proposes, the user changes, approves or declines. */
import { createServer, ToolError } from 'portcall'
import { view } from 'portcall/apps/server'
import * as z from 'zod'

const Refund = z.object({ order: z.string(), amount: z.number().positive(), reason: z.string().min(1) })
const paid = new Map([['A-1042', { customer: 'Ines Moreau', total: 129.9 }]])
const approved = new Map<string, number>()

export const server = createServer({ name: 'refunds', version: '1.0.0' })
  .tool(
    'propose_refund',
    {
      description: 'Proposes a refund. The user decides in the form: nothing is paid before.',
      input: Refund,
      output: Refund.extend({ customer: z.string(), total: z.number(), isPaid: z.boolean() }),
      view: view('./refund-view.ts', { title: 'Refund', border: true }),
    },
    ({ order, amount, reason }) => {
      const purchase = paid.get(order)
      if (!purchase) throw new ToolError(`There is no order ${order}`)
      return { order, amount: Math.min(amount, purchase.total), reason, ...purchase, isPaid: approved.has(order) }
    },
  )
  // Only the view calls it, so that only the user approves.
  .tool(
    'approve_refund',
    { input: Refund, output: z.object({ receipt: z.string() }), visibility: ['app'] },
    ({ order, amount }) => {
      const purchase = paid.get(order)
      if (!purchase || amount > purchase.total) throw new ToolError(`At most ${purchase?.total ?? 0} can be refunded`)
      if (approved.has(order)) throw new ToolError('This order was refunded already')
      approved.set(order, amount)
      return { receipt: `R-${order}` }
    },
  )
