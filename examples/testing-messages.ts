/** Raw messages: calling a server without a client. */
import { createServer, serveChannel } from 'portcall'
import { channelPair, isSuccess, type Message, type Request } from 'portcall/jsonrpc'
import * as z from 'zod'

const server = createServer({ name: 'testing', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

// #region exchange
/** Calls a tool through the server's exchange: one request in, one response out. */
export async function callTool(protocolVersion: string, name: string, args: object): Promise<unknown> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': protocolVersion,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const request: Request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } }
  const response = await server.exchange(request, { signal: new AbortController().signal, notify: () => {} })
  return isSuccess(response) ? response.result.content : response.error
}
// #endregion

// #region channel
/** Sends messages as a client of an older revision does and returns the responses. */
export async function converse(messages: readonly Message[]): Promise<unknown[]> {
  const [near, far] = channelPair()
  const asked = messages.filter((message) => 'id' in message).length
  const received: unknown[] = []
  const answered = new Promise<void>((resolve) => {
    near.receive(
      (got) => received.push('value' in got ? got.value : got) === asked && resolve(),
      () => resolve(),
    )
  })
  serveChannel(server, far)
  for (const message of messages) await near.send(message)
  await answered
  await near.close()
  return received
}
// #endregion
