/** A process of a web application: starts a sign-in and exits, finishes one, or calls a tool. Usage: ACTION ENDPOINT FILE [RESPONSE]. */
import { authorizationCode, fileStore } from 'portcall/auth/client'
import { connect } from 'portcall/client'

const [action, endpoint, file, response] = process.argv.slice(2)
let signInUrl
const auth = authorizationCode({
  redirectUri: 'http://127.0.0.1:9/callback',
  store: fileStore(file),
  account: 'ann',
  authorize: async (url) => {
    signInUrl = url.href
    throw new Error('The user has to sign in')
  },
})

async function call() {
  const client = await connect(endpoint, { auth })
  try {
    const { content } = await client.callTool('whoami')
    return content[0].text
  } finally {
    await client.close()
  }
}

const ACTIONS = {
  start: () => call().catch(() => signInUrl),
  finish: () => auth.finishSignIn(response).then(() => 'finished'),
  call,
}
process.stdout.write(String(await ACTIONS[action]().catch((error) => error.reason ?? error)))
