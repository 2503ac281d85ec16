import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can drop a response, and forward to another server. */
export interface LossyProxy {
  readonly port: number
  /** Forwards the next request, and closes its connection instead of forwarding the response. Applies once. */
  dropNextResponse(): void
  /** Forwards connections that are opened from now on to another port. Open ones stay. */
  forwardTo(port: number): void
  close(): Promise<void>
}

/** Starts a proxy to a port on loopback. */
export async function createLossyProxy(port: number): Promise<LossyProxy> {
  let targetPort = port
  const openSockets = new Set<Socket>()
  let isDropRequested = false

  const destroy = (...sockets: Socket[]): void => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1')
    for (const socket of [client, target]) {
      openSockets.add(socket.on('error', () => destroy(client, target)).on('close', () => destroy(client, target)))
      socket.on('close', () => openSockets.delete(socket))
    }
    let mustDrop = false
    client.on('data', () => {
      mustDrop ||= isDropRequested
      isDropRequested = false
    })
    client.pipe(target)
    target.on('data', (bytes) => (mustDrop ? destroy(client, target) : client.write(bytes)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    dropNextResponse: () => void (isDropRequested = true),
    forwardTo: (other) => void (targetPort = other),
    async close() {
      destroy(...openSockets)
      server.close()
      await once(server, 'close')
    },
  }
}
