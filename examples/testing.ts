/** Tests of a server, without a port and without a process. */
import { createServer, serveChannel } from 'portcall'
import { connect } from 'portcall/client'
import { channelPair, isSuccess, type Message, type Request } from 'portcall/jsonrpc'
import { assertText, collectChanges, faultyProxy, pair, playExchange, recordExchange } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'testing', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

// #region exchange
/** Calls a tool by the function that a server is: one request in, one response out. */
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
/** Sends messages as a client of an older revision does, and gives back what came. */
export async function converse(messages: readonly Message[]): Promise<unknown[]> {
  const [near, far] = channelPair()
  const received: unknown[] = []
  near.receive(
    (got) => received.push('value' in got ? got.value : got),
    () => {},
  )
  const peer = serveChannel(server, far)
  for (const message of messages) await near.send(message)
  await new Promise((resolve) => setTimeout(resolve, 50))
  await peer.idle()
  await near.close()
  return received
}
// #endregion

// #region pair
/** A tool's test. */
export async function testAdd(): Promise<void> {
  const client = await pair(server)
  assertText(await client.callTool('add', { a: 1, b: 2 }), '3')
  await client.close()
}
// #endregion

// #region places
/** The same over bytes, and as a client of an older revision. */
export async function testEverywhere(): Promise<void> {
  for (const transport of ['memory', 'stdio', 'http'] as const) {
    await using client = await pair(server, { transport, revision: '2025-06-18', elicit: () => ({ name: 'Ada' }) })
    assertText(await client.callTool('add', { a: 1, b: 2 }), '3')
  }
}
// #endregion

// #region changes
/** Waits for what a server tells by itself. */
export async function testChanges(): Promise<void> {
  await using client = await pair(server)
  const changes = client.listen({ toolsListChanged: true })
  await changes.honoured
  server.tools.disable('add')
  await collectChanges(changes, 1)
  server.tools.enable('add')
}
// #endregion

// #region record
/** Records a server once, and tests a client without it from then on. */
export async function recordAndPlay(): Promise<string> {
  const recorded = recordExchange(server.exchange)
  await using client = await pair({ exchange: recorded })
  await client.callTool('add', { a: 1, b: 2 })

  await using played = await pair({ exchange: playExchange(recorded.text()) })
  assertText(await played.callTool('add', { a: 1, b: 2 }), '3')
  return recorded.text()
}
// #endregion

// #region faults
/** Cuts the connection in the middle of an answer. */
export async function cutConnection(): Promise<unknown> {
  await using near = await pair(server, { transport: 'http' })
  const proxy = await faultyProxy({ target: near.url ?? '' })
  await using client = await connect(proxy.url)
  proxy.set({ toClient: { resetAfterBytes: 100 } })
  const lost = await client.callTool('add', { a: 1, b: 2 }).catch((error: unknown) => error)
  await proxy.close()
  return lost
}
// #endregion
