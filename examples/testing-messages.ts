/** Raw messages in both directions, as a client of any protocol version sends them. */
// #region channel
import { createServer, serveChannel } from 'portcall'
import { channelPair, type Message } from 'portcall/jsonrpc'
import * as z from 'zod'

const server = createServer({ name: 'calculator', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

/** Sends messages one after another, and returns the responses. */
export async function converse(messages: readonly Message[]): Promise<unknown[]> {
  const [near, far] = channelPair()
  const expected = messages.filter((message) => 'id' in message).length
  const received: unknown[] = []
  const answered = new Promise<void>((resolve) => {
    near.receive(
      (input) => {
        if ('value' in input && received.push(input.value) === expected) resolve()
      },
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
