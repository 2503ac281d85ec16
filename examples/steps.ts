/** Durable steps: a side effect between two input requests that runs once. */
import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'steps', version: '1.0.0' })
export const charges: number[] = []

// #region step
server.tool('buy', { description: 'Buys a thing', input: z.object({ price: z.number() }) }, async ({ price }, call) => {
  const { agreed } = await call.elicit(`Pay ${price}?`, z.object({ agreed: z.boolean() }))
  if (!agreed) return 'Nothing was bought'
  const receipt = await call.step('charge', () => charges.push(price))
  const { rating } = await call.elicit('How was it?', z.object({ rating: z.int().min(1).max(5) }), { key: 'rating' })
  return `Receipt ${receipt}, rated ${rating}`
})
// #endregion
