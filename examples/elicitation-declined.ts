import { createServer, ElicitationDeclinedError } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: 'newsletter', version: '1.0.0' })

server.tool('subscribe', { description: 'Subscribe the user to the newsletter' }, async (_, call) => {
  try {
    const { email } = await call.elicit('Which address?', z.object({ email: z.email() }))
    return `Subscribed ${email}`
  } catch (error) {
    if (error instanceof ElicitationDeclinedError) return error.action === 'decline' ? 'Not subscribed' : 'Dismissed'
    throw error
  }
})
