import { createServer } from 'node:http'
import { authorizationCode } from 'portcall/auth/client'
import { connect } from 'portcall/client'

const [url = 'https://notes.example.com/mcp', origin = 'http://127.0.0.1:8080'] = process.argv.slice(2)

/** The sign-ins that wait for their user, by `state`. */
const waiting = new Map<string, (redirect: URL) => void>()

const app = createServer((request, response) => {
  const redirect = new URL(request.url ?? '/', origin)
  const finish = waiting.get(redirect.searchParams.get('state') ?? '')
  if (redirect.pathname !== '/signed-in' || !finish) return response.writeHead(404).end()
  finish(redirect)
  response.end('You have signed in. Close this page.')
}).listen(Number(new URL(origin).port), '127.0.0.1')

const auth = authorizationCode({
  clientName: 'Notes',
  redirectUri: `${origin}/signed-in`,
  authorize: (page, { state, signal }) =>
    new Promise((resolve, reject) => {
      waiting.set(state, resolve)
      signal.addEventListener('abort', () => reject(signal.reason))
      console.log(`Sign in at ${page}`)
    }),
})

const client = await connect(url, { auth })
const { content } = await client.callTool('whoami')
console.log(content)

await client.close()
app.close()
