import { connect } from 'portcall/client'

const client = await connect(process.argv[2] ?? 'http://127.0.0.1:3000/mcp')

client.use(async (request, context, next) => {
  const startedAt = performance.now()
  const response = await next(request, context)
  const outcome = 'error' in response ? response.error.message : 'ok'
  console.log(`${request.method}: ${outcome} after ${Math.round(performance.now() - startedAt)} ms`)
  return response
})

await client.callTool('add', { title: 'Measure' })
await client.close()
