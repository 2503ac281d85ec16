/** Elicitation: asking the user with a form during a call. */
import { createServer, ElicitationDeclinedError } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'asking', version: '1.0.0' })

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
    if (error instanceof ElicitationDeclinedError) return error.action === 'decline' ? 'Not subscribed' : 'Nothing was chosen'
    throw error
  }
})
// #endregion

// #region together
server.tool('introduce', { description: 'Gets to know the client' }, async (_, call) => {
  const [{ name }, roots] = await Promise.all([call.elicit('What is your name?', z.object({ name: z.string() })), call.roots()])
  return `${name} works on ${roots.map(({ uri }) => uri).join(', ')}`
})
// #endregion
