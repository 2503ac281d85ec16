/** The tools that a view offers to its host. */
import type { Json, ViewTool } from './types.ts'

/** Answers a request of the host. Returns `undefined` for an unknown method. */
export function answerView(tools: { readonly [name: string]: ViewTool }, method: string, params: Json): unknown {
  if (method === 'ping') return {}
  if (Object.keys(tools).length === 0) return undefined
  if (method === 'tools/list')
    return {
      tools: Object.entries(tools).map(([name, { description, inputSchema = { type: 'object' } }]) => ({
        name,
        inputSchema,
        ...(description !== undefined && { description }),
      })),
    }
  return method === 'tools/call' ? callTool(tools, params) : undefined
}

async function callTool(tools: { readonly [name: string]: ViewTool }, { name, arguments: input = {} }: Json): Promise<Json> {
  const tool = Object.hasOwn(tools, String(name)) ? tools[String(name)] : undefined
  if (!tool) return failure(`Unknown tool: ${name}`)
  try {
    const returned = await tool.handler(input as Json)
    return typeof returned === 'object' && returned !== null && 'content' in returned
      ? { ...returned }
      : text(String(returned ?? 'done'))
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error))
  }
}

const text = (words: string): Json => ({ content: [{ type: 'text', text: words }] })
const failure = (words: string): Json => ({ ...text(words), isError: true })
