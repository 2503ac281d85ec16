/** One raw request: calling a server without a client. */
import { createServer } from 'portcall'
import { isSuccess, type Request } from 'portcall/jsonrpc'
import * as z from 'zod'

const server = createServer({ name: 'calculator', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

export async function callTool(name: string, args: object): Promise<unknown> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const request: Request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } }
  const response = await server.exchange(request, { signal: new AbortController().signal, notify: () => {} })
  return isSuccess(response) ? response.result.content : response.error
}
