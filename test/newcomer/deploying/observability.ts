import { createServer, type ServerEvent } from 'portcall'
import { serve } from 'portcall/node'
import * as z from 'zod'

/** Writes a line of JSON to stderr. Replace it with your logger. */
function log(level: string, fields: object): void {
  console.error(JSON.stringify({ time: new Date().toISOString(), level, ...fields }))
}

function logEvent(event: ServerEvent): void {
  if (event.type === 'warning') return log('warn', { message: event.message })
  const { error, reference, method, name } = event
  log('error', { reference, method, name, stack: error instanceof Error ? error.stack : String(error) })
}

const server = createServer({ name: 'shop', version: '1.0.0' }, { onEvent: logEvent })

server.use(async (request, context, next) => {
  const startedAt = performance.now()
  const response = await next(request, context)
  log('info', {
    method: request.method,
    name: request.params?.name,
    outcome: 'error' in response ? response.error.code : response.result.isError ? 'tool error' : 'ok',
    durationMs: Math.round(performance.now() - startedAt),
    principal: context.auth?.principal,
  })
  return response
})

server.tool('price', { description: 'Return the price of an item', input: z.object({ item: z.string() }) }, ({ item }) => {
  if (item !== 'pear') throw new Error(`database: no row for ${item}`)
  return 'A pear costs 1 €'
})

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000) })
console.log(`Listening at ${url}`)
