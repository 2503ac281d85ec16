/** Exports values of inferred types, whose declarations may name only what the package exports, and extends the definition of tools. */
import { createServer, defineServerExtension, defineTool } from 'portcall'
import { connect, connectAll } from 'portcall/client'
import { events } from 'portcall/events/client'
import { createGateway } from 'portcall/gateway'
import { httpHandler } from 'portcall/http'
import { nodeHandler, serve } from 'portcall/node'
import { skills } from 'portcall/skills/client'
import { memoryStores } from 'portcall/stores'
import { tasks } from 'portcall/tasks'
import { tasks as clientTasks } from 'portcall/tasks/client'

declare module 'portcall' {
  interface ToolDefinitionExtensions {
    poll?: string
  }
}

export const stores = memoryStores()
export const extension = defineServerExtension({ id: 'com.example/polls', name: 'polls', setup: (context) => ({ context }) })
export const server = createServer({ name: 'polls', version: '1.0.0' }, { extensions: [tasks(), extension], stores })
export const vote = defineTool({ description: 'Vote', poll: 'lunch', task: 'optional' }, () => 'ok')
export const served = server.addTools({ vote })
export const handlers = { http: httpHandler(server), node: nodeHandler(server), server: serve(server) }
export const gateway = createGateway({ servers: {} })
export const client = await connect('https://example.com/mcp', { extensions: [clientTasks(), events(), skills()] })
export const typed = connect<typeof served>(server)
export const result = client.callTool('vote', {})
export const tools = client.tools()
export const group = connectAll({})
