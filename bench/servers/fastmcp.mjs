/** fastmcp, which responds with JSON only if configured. */
import { createServer } from 'node:http'
import { FastMCP } from 'fastmcp'
import { serverArguments } from './arguments.mjs'
import { ADD, ASK, BLOB, blobOf, fillerDescription, fillerNames, MEASURE, PROGRESS, QUESTION } from './definitions.mjs'
import { SCHEMAS } from './schemas-zod.mjs'

const { transport, mode, tools, port, framing } = serverArguments()
const quiet = () => {}
const logger = { debug: quiet, error: console.error, info: quiet, log: quiet, warn: quiet }
const server = new FastMCP({ name: 'fastmcp', version: '1.0.0', logger })

function addTool(name, { description }, { input, output, execute }) {
  server.addTool({ name, description, ...(input && { parameters: input }), ...(output && { outputSchema: output }), execute })
}

addTool('add', ADD, { ...SCHEMAS.add, execute: async ({ a, b }) => ({ sum: a + b }) })
addTool('blob', BLOB, { input: SCHEMAS.blob, execute: async ({ bytes }) => blobOf(bytes) })
addTool('measure', MEASURE, { input: SCHEMAS.measure, execute: async ({ text }) => String(text.length) })
addTool('progress', PROGRESS, {
  input: SCHEMAS.progress,
  execute: async ({ count }, { reportProgress }) => {
    for (let progress = 1; progress <= count; progress++) await reportProgress({ progress, total: count })
    return 'done'
  },
})
addTool('ask', ASK, {
  execute: async (_, { elicit }) => {
    const { content } = await elicit({ message: QUESTION.message, requestedSchema: QUESTION.form })
    return `Hello, ${content.name}`
  },
})
for (const name of fillerNames(tools))
  addTool(name, { description: fillerDescription(name) }, { input: SCHEMAS.filler, execute: async ({ query }) => query })

/** Finds a free port, because fastmcp does not report which one it uses. */
async function choosePort() {
  if (port > 0) return port
  const probe = createServer()
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const free = probe.address().port
  await new Promise((resolve) => probe.close(resolve))
  return free
}

if (transport === 'stdio') await server.start({ transportType: 'stdio' })
else {
  const chosen = await choosePort()
  const settings = { stateless: mode === 'stateless', enableJsonResponse: framing === 'json' }
  await server.start({ transportType: 'httpStream', httpStream: { port: chosen, host: '127.0.0.1', ...settings } })
  console.log(JSON.stringify({ port: chosen }))
}
