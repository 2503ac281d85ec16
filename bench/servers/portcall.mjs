/** Portcall with its defaults. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'portcall'
import { serverArguments } from './arguments.mjs'
import {
  ADD,
  ASK,
  BLOB,
  blobOf,
  countPrimes,
  FILLER_INPUT,
  FLOOD,
  fillerDescription,
  fillerNames,
  MEASURE,
  PRIMES,
  PROGRESS,
  QUESTION,
  WAIT,
} from './definitions.mjs'
import { tellPort } from './workers.mjs'

const { transport, mode, tools, port, page, maxLine, schemas, workers, telemetry, framework } = serverArguments()

/** The schemas of `add` and of the fillers, written with the chosen schema library. */
const { add, filler } = schemas === 'zod' ? (await import('./schemas-zod.mjs')).SCHEMAS : { add: ADD, filler: FILLER_INPUT }

const server = createServer({ name: 'portcall', version: '1.0.0' }, { pageSize: page })

if (telemetry !== 'off') await (await import('../telemetry/trace.mjs')).trace(server, telemetry)

server.tool('add', { ...ADD, ...add }, ({ a, b }) => ({ sum: a + b }))
server.tool('blob', BLOB, ({ bytes }) => blobOf(bytes))
server.tool('measure', MEASURE, ({ text }) => String(text.length))
server.tool('primes', PRIMES, ({ below }) => String(countPrimes(below)))
server.tool('progress', PROGRESS, async ({ count }, call) => {
  for (let step = 1; step <= count; step++) await call.progress(step, count)
  return 'done'
})
server.tool('flood', FLOOD, ({ count }, call) => {
  for (let step = 1; step <= count; step++) call.progress(step, count)
  return 'done'
})
server.tool('ask', ASK, async (_, call) => {
  const { name } = await call.elicit(QUESTION.message, QUESTION.form)
  return `Hello, ${name}`
})
// No other server has it, so it is not in lists of many tools.
if (tools === 1) server.tool('wait', WAIT, ({ ms }) => sleep(ms, 'done'))
for (const name of fillerNames(tools))
  server.tool(name, { description: fillerDescription(name), input: filler }, ({ query }) => query)

if (transport === 'stdio') {
  const { serveStdio } = await import('portcall/stdio')
  await serveStdio(server, maxLine ? { maxMessageBytes: maxLine } : {})
} else if (framework !== 'none') {
  const [{ MOUNTS }, { nodeHandler }, { httpHandler }] = await Promise.all([
    import('./frameworks.mjs'),
    import('portcall/node'),
    import('portcall/http'),
  ])
  tellPort(await MOUNTS[framework]({ node: nodeHandler(server), fetch: httpHandler(server) }, port))
} else {
  const { serve, workerNumber } = await import('portcall/node')
  const serving = await serve(server, { port, workers, ...(mode === 'stateless' && { legacy: 'stateless' }) })
  if (workerNumber === undefined) tellPort(serving.port)
}
