/** Serving over HTTP to the internet, with an access token. */
import { createServer } from 'portcall'
import { HttpError } from 'portcall/http'
import { serve } from 'portcall/node'

const server = createServer({ name: 'http', version: '1.0.0' })

// #region middleware
server.use(async (request, context, next) => {
  const startedAt = performance.now()
  const response = await next(request, context)
  console.error(
    `${request.method} ${'error' in response ? response.error.code : 'ok'} ${Math.round(performance.now() - startedAt)} ms`,
  )
  return response
})
// #endregion

server.tool('whoami', { description: 'Returns the caller' }, (_, call) => `You are ${call.auth?.principal}`)

// #region serve
const tokens = new Map([['secret-of-ann', 'ann']])

const serving = await serve(server, {
  port: Number(process.env.PORT ?? 3000),
  allowedHosts: ['localhost', '127.0.0.1', 'mcp.example.com'],
  maxBodyBytes: 1024 * 1024,
  authenticate: (request) => {
    const principal = tokens.get(request.header('authorization')?.replace(/^Bearer /, '') ?? '')
    if (principal) return { principal, scopes: [] }
    throw new HttpError(401, { 'www-authenticate': 'Bearer' }, { code: -32600, message: 'An access token is needed' })
  },
  onError: (error) => console.error(error),
})
// #endregion
console.log(serving.url)
