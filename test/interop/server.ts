/** The server for the official clients. `--stdio` serves over stdio; otherwise it serves over HTTP on a free port and prints the port. */
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { serveStdio } from 'portcall/stdio'
import * as z from 'zod'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const server = createServer({ name: 'interop', version: '1.0.0' }, { instructions: 'Made for other clients.' })

server.tool(
  'add',
  { description: 'Adds', input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
  ({ a, b }) => ({ sum: a + b }),
)
server.tool('count', { description: 'Counts to three' }, async (_args, call) => {
  for (let step = 1; step <= 3; step++) {
    await call.progress(step, 3, `step ${step}`)
    await pause(20)
  }
  return 'counted'
})
server.tool('chat', { description: 'Logs at each level' }, async (_args, call) => {
  await call.log('debug', 'quiet')
  await call.log('error', { loud: true }, 'chat')
  return 'chatted'
})
server.tool('greet', { description: 'Asks for a name' }, async (_args, call) => {
  const { name, age } = await call.elicit('Who are you?', z.object({ name: z.string(), age: z.number().int().default(7) }))
  return `Hello ${name}, ${age}`
})
server.tool('think', { description: 'Asks the model' }, async (_args, call) => {
  const { content } = await call.sample({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }],
    maxTokens: 10,
  })
  return JSON.stringify(content)
})
server.tool('where', { description: 'Asks for roots' }, async (_args, call) => (await call.roots()).map(({ uri }) => uri).join())
server.tool('both', { description: 'Asks two things at once' }, async (_args, call) => {
  const [roots, { name }] = await Promise.all([call.roots(), call.elicit('Who?', z.object({ name: z.string() }))])
  return `${name} in ${roots.length}`
})

let cancelled = 0
server.tool('wait', { description: 'Waits until it is cancelled' }, async (_args, { signal }) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  cancelled++
})
server.tool('cancelled', { description: 'How often wait was cancelled' }, () => String(cancelled))
server.tool('come-back', { description: 'Lets go of the connection' }, async (_args, call) => {
  call.closeStream(100)
  await pause(400)
  return 'came back'
})

let version = 1
server.resource(
  'memo://{name}',
  { title: 'Memo', mimeType: 'text/plain', list: () => [{ uri: 'memo://a', name: 'a' }] },
  ({ name }) => `${name} v${version}`,
)
server.resource('memo://logo', { mimeType: 'image/png' }, () => new Uint8Array([1, 2, 3]))
server.tool('change', { description: 'Changes memo a, and the list of tools' }, () => {
  version++
  server.resourceUpdated('memo://a')
  if (!server.tools.has('late')) server.tool('late', { description: 'Came later' }, () => 'late')
  return 'changed'
})
server.prompt(
  'review',
  {
    description: 'Reviews code',
    arguments: z.object({ code: z.string(), language: z.string().optional() }),
    complete: {
      language: (value, { arguments: entered }) =>
        ['typescript', 'rust', entered.code ?? 'none'].filter((language) => language.startsWith(value)),
    },
  },
  ({ code }) => `Review ${code}`,
)

if (process.argv.includes('--stdio')) await serveStdio(server)
else console.log((await serve(server, { port: 0 })).url)
