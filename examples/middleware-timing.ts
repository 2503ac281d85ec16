import { createServer } from 'portcall'

export const server = createServer({ name: 'timed', version: '1.0.0' })

server.use(async (request, context, next) => {
  const startedAt = performance.now()
  const response = await next(request, context)
  const outcome = 'error' in response ? `error ${response.error.code}` : 'ok'
  console.error(`${request.method} ${request.params?.name ?? ''} ${outcome} ${Math.round(performance.now() - startedAt)} ms`)
  return response
})

server.tool('ping', { description: 'Check that the server responds' }, () => 'pong')
