import { createServer, type Server } from 'portcall'
import { ARGUMENT_PROBES, CHARACTER_PROBES, FIRST_PROBES, LENGTH_PROBES } from './names.ts'
import { type ProbeTool, probeTool } from './probe-tool.ts'
import { LONG_RESULTS, RESULT_PROBES } from './results.ts'
import { ALONE_PROBES, CLOSED_PROBE, NESTED_PROBES, PLAIN_PROBE, ROOT_PROBES } from './schemas.ts'
import { ARGUMENT_TEXT_PROBES, DESCRIPTION_PROBES, INSTRUCTIONS, MANY_TOOLS } from './texts.ts'

/** Creates a server with these tools. It puts them into its answers itself, because Portcall registers no invalid names. */
function serverOf(tools: readonly ProbeTool[]): Server {
  const server = createServer({ name: 'probe', version: '1.0.0' }, { instructions: INSTRUCTIONS })
  server.tool('registered', { description: 'Not listed' }, () => 'called')
  server.use(async (request, context, next) => {
    const response = await next(request, context)
    if (request.method !== 'tools/list' || 'error' in response) return response
    const list = tools.map(({ name, description, schema }) => ({ name, description, inputSchema: schema }))
    return { ...response, result: { ...response.result, tools: list } }
  })
  return server
}

/** The servers whose tools have unusual definitions. No list is so long that a host leaves some out, except in `many`. */
export const DEFINITION_SERVERS = {
  lengths: () => serverOf([...LENGTH_PROBES, ...FIRST_PROBES]),
  characters: () => serverOf([...CHARACTER_PROBES, ...ARGUMENT_PROBES]),
  schemas: () => serverOf([PLAIN_PROBE, CLOSED_PROBE, ...ROOT_PROBES, ...ALONE_PROBES, ...NESTED_PROBES]),
  texts: () => serverOf([...DESCRIPTION_PROBES, ...ARGUMENT_TEXT_PROBES]),
  many: () => serverOf(MANY_TOOLS),
} as const

/** The call of `slow`. */
export interface SlowCall {
  /** True if the host had ended it when it sent the next call. */
  isAborted?: boolean
}

/** The tools that are called, in this order. `slow` waits longer than the host is told to wait; `after` follows. */
export const CALLED_TOOLS: readonly string[] = [
  ...RESULT_PROBES.map(({ name }) => name),
  ...LONG_RESULTS.map(({ name }) => name),
  'closed',
  'slow',
  'after',
]

const SLOW_MS = 15_000

/** Creates the server whose tools return unusual results. */
export function createResultServer(slow: SlowCall): Server {
  const server = createServer({ name: 'probe', version: '1.0.0' })
  const describe = (name: string): string => probeTool(`call/${name}`, name).description
  for (const { name, result } of RESULT_PROBES) {
    const output = { type: 'object', properties: { value: { type: 'string' } } }
    const isStructured = result.structuredContent !== undefined
    server.tool(name, { description: describe(name), input: { properties: {} }, ...(isStructured && { output }) }, () => result)
  }
  for (const { name, text } of LONG_RESULTS)
    server.tool(name, { description: describe(name), input: { properties: {} } }, () => text)
  server.tool('closed', { description: describe('closed'), input: { properties: {} } }, () => 'called')
  let isAborted = false
  server.tool('slow', { description: describe('slow'), input: { properties: {} } }, async (_args, { signal }) => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, SLOW_MS)
      signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true })
    })
    isAborted = signal.aborted
    return 'slow'
  })
  server.tool('after', { description: describe('after'), input: { properties: {} } }, () => {
    slow.isAborted = isAborted
    return 'after'
  })
  return server
}
