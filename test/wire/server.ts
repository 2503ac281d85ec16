import { createServer, type Server } from 'portcall'
import * as z from 'zod'

/** The minimal server of the golden transcripts. Do not change it. */
export function createGoldenServer(): Server {
  const server = createServer({ name: 'golden', version: '1.0.0', title: 'Golden' }, { instructions: 'Compare me.' })

  server.tool('echo', { title: 'Echo', description: 'Says it again', input: z.object({ text: z.string() }) }, ({ text }) => text)
  server.tool('weighs', { output: z.object({ grams: z.number() }) }, async (_, call) => {
    await call.progress(1, 2, 'half')
    return { grams: 12.5 }
  })
  server.tool('points', {}, () => ({ type: 'resource_link', uri: 'memo://one', name: 'one', title: 'The one' }))
  server.tool('asks', {}, async (_, call) => `Hello, ${(await call.elicit('Who are you?', z.object({ name: z.string() }))).name}`)
  server.tool('roots', {}, async (_, call) => `${(await call.roots()).length} roots`)
  server.tool('touches', {}, () => {
    server.resourceUpdated('memo://one')
    return 'touched'
  })
  server.resource('memo://one', { name: 'one', mimeType: 'text/plain' }, () => 'one')
  server.prompt('polite', { arguments: z.object({ whom: z.string() }) }, ({ whom }) => `Be polite to ${whom}`)
  return server
}
