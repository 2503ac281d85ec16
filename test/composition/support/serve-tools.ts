import { createServer, type Server } from 'portcall'
import type { Tool } from 'portcall/client'

/** Creates a server with these tools. Each returns its name and arguments. */
export function serveTools(name: string, tools: readonly Tool[]): Server {
  const server = createServer({ name, version: '1' })
  for (const tool of tools) {
    const { description, inputSchema } = tool
    server.tool(tool.name, { ...(description !== undefined && { description }), input: withoutSchema(inputSchema) }, (args) =>
      JSON.stringify({ name: tool.name, args }),
    )
  }
  return server
}

/** Older servers name dialects that say the same here. */
function withoutSchema({ $schema: _dialect, ...schema }: Tool['inputSchema']): Tool['inputSchema'] {
  return schema
}
