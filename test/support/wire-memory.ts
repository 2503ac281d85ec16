import { type ServerLike, serveChannel } from 'portcall'
import { channelPair } from 'portcall/jsonrpc'
import type { Receive, Wire } from './wire.ts'

/** Opens a wire to an in-process server over a pair of channels. */
export async function memoryWire(server: ServerLike, receive: Receive): Promise<Wire> {
  const [near, far] = channelPair()
  const closed = new Promise<void>((resolve) => {
    near.receive(
      (received) => 'value' in received && receiveAll(received.value, receive),
      () => resolve(),
    )
  })
  serveChannel(server, far)
  return {
    async send(message) {
      await near.send(message)
      return undefined
    },
    async close() {
      await near.close()
      await closed
      await server.close()
    },
  }
}

/** Passes on messages one by one, including those of a batch. */
export function receiveAll(value: unknown, receive: Receive): void {
  for (const message of Array.isArray(value) ? value : [value]) receive(message)
}
