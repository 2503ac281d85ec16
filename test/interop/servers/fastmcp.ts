/** fastmcp: over stdio, or at `/mcp` with sessions and at `/sse`; legacy only. */
import { FastMCP, type FastMCPSession, UserError } from 'fastmcp'
import * as z from 'zod'
import { choosePort } from './listen.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const quiet = () => {}
const logger = { debug: quiet, error: console.error, info: quiet, log: quiet, warn: quiet }
const QUESTION = {
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } }, required: ['name'] },
} as const

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0', instructions: 'Made for other clients.', logger })
let version = 1
let cancelled = 0

/** Returns the session of a call. fastmcp creates it, with its roots, some time after the first calls. */
async function sessionOf(id: string | undefined, isReady = (_session: FastMCPSession): boolean => true): Promise<FastMCPSession> {
  for (let tries = 0; tries < 100; tries++) {
    const session = server.sessions.find(({ sessionId }) => sessionId === id)
    if (session && isReady(session)) return session
    await pause(50)
  }
  throw new UserError('No session')
}

server.addTool({
  name: 'add',
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
})
server.addTool({
  name: 'count',
  execute: async (_args, { reportProgress }) => {
    for (let progress = 1; progress <= 3; progress++) {
      await reportProgress({ progress, total: 3, message: `step ${progress}` })
      await pause(20)
    }
    return 'counted'
  },
})
server.addTool({
  name: 'chat',
  execute: async (_args, { log }) => {
    log.debug('quiet')
    log.error('loud', { loud: true })
    return 'chatted'
  },
})
server.addTool({
  name: 'greet',
  execute: async (_args, { elicit }) => {
    const { content } = await elicit(QUESTION as never)
    return `Hello ${content?.name}, ${content?.age}`
  },
})
server.addTool({
  name: 'think',
  execute: async (_args, { sessionId }) => {
    const { content } = await (await sessionOf(sessionId)).requestSampling({
      messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }],
      maxTokens: 10,
    })
    return 'text' in content ? String(content.text) : 'nothing'
  },
})
server.addTool({
  name: 'where',
  execute: async (_args, { sessionId }) => {
    const { roots } = await sessionOf(sessionId, (session) => session.roots.length > 0)
    return roots.map(({ uri }) => uri).join()
  },
})
server.addTool({
  name: 'wait',
  execute: async (_args, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    cancelled++
    return 'cancelled'
  },
})
server.addTool({ name: 'cancelled', execute: async () => String(cancelled) })
server.addTool({ name: 'era', execute: async () => 'legacy' })
server.addTool({ name: 'exit', execute: async () => process.exit(7) })
server.addTool({
  name: 'change',
  execute: async () => {
    version++
    await server.sendResourceUpdated('memo://a')
    server.addTool({ name: `late-${version}`, execute: async () => 'late' })
    return 'changed'
  },
})
server.addResource({ uri: 'memo://logo', name: 'logo', mimeType: 'image/png', load: async () => ({ blob: 'AQID' }) })
server.addResourceTemplate({
  uriTemplate: 'memo://{name}',
  name: 'memo',
  mimeType: 'text/plain',
  arguments: [
    {
      name: 'name',
      required: true,
      complete: async (value) => ({ values: ['alpha', 'beta'].filter((name) => name.startsWith(value)) }),
    },
  ],
  load: async ({ name }) => ({ text: `${name} v${version}` }),
})
server.addPrompt({
  name: 'review',
  arguments: [
    { name: 'code', required: true },
    {
      name: 'language',
      required: false,
      complete: async (value) => ({ values: ['typescript', 'rust'].filter((one) => one.startsWith(value)) }),
    },
  ],
  load: async ({ code }) => `Review ${code}`,
})

if (process.argv.includes('--stdio')) await server.start({ transportType: 'stdio' })
else {
  const port = await choosePort()
  await server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1' } })
  console.log(`http://127.0.0.1:${port}`)
}
