import { createServer } from 'portcall'

export const server = createServer({ name: 'accounts', version: '1.0.0' })

server.tool('connect', { description: 'Connect an account' }, async (_, call) => {
  await call.elicitUrl('Sign in to connect your account', 'https://example.com/connect?state=4711')
  return 'The account is connected as soon as you have signed in'
})
