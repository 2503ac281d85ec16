import { createServer } from 'portcall'
import * as z from 'zod'

export const charges: number[] = []
export const server = createServer({ name: 'shop', version: '1.0.0' })

server.tool('buy', { description: 'Buy an item', input: z.object({ price: z.number() }) }, async ({ price }, call) => {
  const { agreed } = await call.elicit(`Pay ${price}?`, z.object({ agreed: z.boolean() }))
  if (!agreed) return 'Cancelled'
  const receipt = await call.step('charge', () => charges.push(price))
  const { rating } = await call.elicit('How was it?', z.object({ rating: z.int().min(1).max(5) }), { key: 'rating' })
  return `Receipt ${receipt}, rated ${rating}`
})
