import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a server that can be cut. */
export interface Wire {
  readonly port: number
  /** The next request arrives, its answer does not: its connection ends instead. Once. */
  loseAnswer(): void
  close(): Promise<void>
}

/** Stands between a client and a server on loopback. */
export async function createWire(target: number): Promise<Wire> {
  const open = new Set<Socket>()
  let losing = false

  const cut = (...sockets: Socket[]): void => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const socket of [near, far]) {
      open.add(socket.on('error', () => cut(near, far)).on('close', () => cut(near, far)))
      socket.on('close', () => open.delete(socket))
    }
    let isDoomed = false
    near.on('data', () => {
      isDoomed ||= losing
      losing = false
    })
    near.pipe(far)
    far.on('data', (bytes) => (isDoomed ? cut(near, far) : near.write(bytes)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    loseAnswer: () => void (losing = true),
    async close() {
      cut(...open)
      server.close()
      await once(server, 'close')
    },
  }
}
