/** Asking the client while a call runs: forms, URLs, its model, its folders. */
import { createServer, Declined } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'asking', version: '1.0.0' })
export const charges: number[] = []

// #region form
server.tool('book', { description: 'Books a table' }, async (_, call) => {
  const { people, when } = await call.elicit(
    'For how many people, and when?',
    z.object({ people: z.int().min(1).max(20), when: z.enum(['lunch', 'dinner']).default('dinner') }),
  )
  return `A table for ${people}, for ${when}`
})
// #endregion

// #region declined
server.tool('subscribe', { description: 'Subscribes to the newsletter' }, async (_, call) => {
  try {
    const { email } = await call.elicit('Where to?', z.object({ email: z.email() }))
    return `Subscribed ${email}`
  } catch (error) {
    if (error instanceof Declined) return error.action === 'decline' ? 'Not subscribed' : 'Nothing was chosen'
    throw error
  }
})
// #endregion

// #region step
server.tool('buy', { description: 'Buys a thing', input: z.object({ price: z.number() }) }, async ({ price }, call) => {
  const { agreed } = await call.elicit(`Pay ${price}?`, z.object({ agreed: z.boolean() }))
  if (!agreed) return 'Nothing was bought'
  const receipt = await call.step('charge', () => charges.push(price))
  const { rating } = await call.elicit('How was it?', z.object({ rating: z.int().min(1).max(5) }), { key: 'rating' })
  return `Receipt ${receipt}, rated ${rating}`
})
// #endregion

// #region together
server.tool('introduce', { description: 'Gets to know the client' }, async (_, call) => {
  const [{ name }, roots] = await Promise.all([call.elicit('What is your name?', z.object({ name: z.string() })), call.roots()])
  return `${name} works on ${roots.map(({ uri }) => uri).join(', ')}`
})
// #endregion

// #region sample
server.tool('haiku', { description: 'Lets the model of the client write' }, async (_, call) => {
  const { content } = await call.sample({
    messages: [{ role: 'user', content: { type: 'text', text: 'A haiku about ports, please' } }],
    maxTokens: 100,
  })
  const [first] = [content].flat()
  return first?.type === 'text' ? first.text : 'No words came'
})
// #endregion

// #region url
server.tool('connect', { description: 'Connects an account' }, async (_, call) => {
  await call.elicitUrl('Sign in to connect your account', 'https://example.com/connect?state=4711')
  return 'Connected, once you have signed in there'
})
// #endregion
