const INPUT = 'z.object({ a: z.number(), b: z.number() })'
const OUTPUT = 'z.object({ sum: z.number() })'

const official = {
  tool: (name, output) =>
    output
      ? `server.registerTool('${name}', { description: '${name}', inputSchema: ${INPUT}, outputSchema: ${OUTPUT} }, ({ a, b }) => ({
  content: [],
  structuredContent: { sum: a + b },
}))`
      : `server.registerTool('${name}', { description: '${name}', inputSchema: ${INPUT} }, ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + b) }],
}))`,
}

const OFFICIAL_SERVER = "const server = new McpServer({ name: 'types', version: '1.0.0' })"

/** How users of each subject write a server and a tool; the baseline is the cost of the schemas and of functions of their types. */
export const WRITERS = {
  baseline: {
    head: '',
    server: '',
    tool: (name, output) =>
      output
        ? `const ${name}_input = ${INPUT}
const ${name}_output = ${OUTPUT}
export const ${name} = ({ a, b }: z.infer<typeof ${name}_input>): z.infer<typeof ${name}_output> => ({ sum: a + b })`
        : `const ${name}_input = ${INPUT}
export const ${name} = ({ a, b }: z.infer<typeof ${name}_input>) => String(a + b)`,
  },
  portcall: {
    head: "import { createServer } from 'portcall'",
    server: "const server = createServer({ name: 'types', version: '1.0.0' })",
    tool: (name, output) =>
      output
        ? `server.tool('${name}', { description: '${name}', input: ${INPUT}, output: ${OUTPUT} }, ({ a, b }) => ({ sum: a + b }))`
        : `server.tool('${name}', { description: '${name}', input: ${INPUT} }, ({ a, b }) => String(a + b))`,
  },
  'official-1': {
    head: "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'",
    server: OFFICIAL_SERVER,
    ...official,
  },
  'official-2': { head: "import { McpServer } from '@modelcontextprotocol/server'", server: OFFICIAL_SERVER, ...official },
}

/** Generates a TypeScript file with tools as users of a subject write it, with or without output schemas. */
export function toolsFile(subject, count, output) {
  const { head, server, tool } = WRITERS[subject]
  const tools = Array.from({ length: count }, (_, index) => tool(`tool_${index}`, output))
  return [head, "import * as z from 'zod'", '', server, ...tools, ''].join('\n')
}
