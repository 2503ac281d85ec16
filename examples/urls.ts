/** URL elicitation: asking the user to open a page. */
import { createServer } from 'portcall'

export const server = createServer({ name: 'urls', version: '1.0.0' })

// #region url
server.tool('connect', { description: 'Connects an account' }, async (_, call) => {
  await call.elicitUrl('Sign in to connect your account', 'https://example.com/connect?state=4711')
  return 'Connected, once you have signed in there'
})
// #endregion
