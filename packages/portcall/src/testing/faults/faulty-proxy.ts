import type { AddressInfo, Socket } from 'node:net'

/** The faults of one direction of each connection. */
export interface StreamFaults {
  /** How long to delay the bytes, in milliseconds. Default: 0. */
  readonly delayMs?: number
  /** Splits the bytes into chunks of at most this size. */
  readonly splitBytes?: number
  /** Drops all bytes after this number, and leaves the connection open. */
  readonly dropAfterBytes?: number
  /** Resets the connection after this number of bytes. */
  readonly resetAfterBytes?: number
}

/** The target and the initial faults of a proxy. */
export interface FaultyProxyOptions {
  /** The server: its URL, or a port on localhost. */
  readonly target: string | URL | number
  /** The faults in the direction of the server. */
  readonly toServer?: StreamFaults
  /** The faults in the direction of the client. */
  readonly toClient?: StreamFaults
  /** True if new connections are reset immediately. */
  readonly refuse?: boolean
}

/** The faults of a proxy. */
export type ProxyFaults = Pick<FaultyProxyOptions, 'toServer' | 'toClient' | 'refuse'>

/** A TCP proxy with faults, on localhost. */
export interface FaultyProxy {
  /** The URL of the target through the proxy. */
  readonly url: string
  /** The port of the proxy. */
  readonly port: number
  /** The number of open connections. */
  readonly openConnections: number
  /** The number of connections since the start. */
  readonly totalConnections: number
  /** Replaces all faults. Byte counts start again at 0. `setFaults({})` removes all faults. */
  setFaults(faults: ProxyFaults): void
  /** Resets all connections. */
  resetConnections(): void
  /** Resets all connections and stops the proxy. */
  close(): Promise<void>
}

/** Starts a TCP proxy with faults, on a free port of localhost. */
export async function faultyProxy({ target, ...initialFaults }: FaultyProxyOptions): Promise<FaultyProxy> {
  const { connect, createServer } = await import('node:net')
  const url = new URL(typeof target === 'number' ? `http://127.0.0.1:${target}` : target)
  const targetPort = Number(url.port || 80)
  const connections = new Set<ProxiedConnection>()
  let faults: ProxyFaults = initialFaults
  let totalConnections = 0

  const server = createServer({ allowHalfOpen: true }, (client) => {
    totalConnections++
    if (faults.refuse) return void client.resetAndDestroy()
    const upstream = connect({ port: targetPort, host: url.hostname.replace(/[[\]]/g, ''), allowHalfOpen: true })
    const connection = joinSockets(client, upstream, () => faults)
    connections.add(connection)
    client.on('close', () => connections.delete(connection))
  })
  const resetConnections = (): void => {
    for (const connection of connections) connection.reset()
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${url.pathname}${url.search}`,
    port,
    get openConnections() {
      return connections.size
    },
    get totalConnections() {
      return totalConnections
    },
    setFaults(next) {
      faults = next
    },
    resetConnections,
    async close() {
      resetConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface ProxiedConnection {
  reset(): void
}

function joinSockets(client: Socket, server: Socket, faults: () => ProxyFaults): ProxiedConnection {
  const reset = (): void => {
    for (const socket of [client, server]) if (!socket.destroyed) socket.resetAndDestroy()
  }
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.setNoDelay(true)
    from.on('error', () => to.destroy())
    from.on('close', () => to.destroySoon())
  }
  pipe(client, server, { faults: () => faults().toServer ?? NO_FAULTS, reset })
  pipe(server, client, { faults: () => faults().toClient ?? NO_FAULTS, reset })
  return { reset }
}

const NO_FAULTS: StreamFaults = {}
const RESET_DELAY_MS = 20

interface PipeOptions {
  readonly faults: () => StreamFaults
  reset(): void
}

/** Copies the bytes of one socket to the other, in order. */
function pipe(from: Socket, to: Socket, { faults, reset }: PipeOptions): void {
  let current = faults()
  let totalBytes = 0
  let previous = Promise.resolve()

  from.on('data', (bytes: Buffer) => {
    if (current !== faults()) totalBytes = 0
    current = faults()
    const { dropAfterBytes = Infinity, resetAfterBytes = Infinity } = current
    const passed = bytes.subarray(0, Math.max(0, Math.min(dropAfterBytes, resetAfterBytes) - totalBytes))
    totalBytes += bytes.length
    const applied = current
    const isReset = totalBytes > resetAfterBytes
    previous = previous.then(() => write(to, passed, applied)).then(() => (isReset ? resetLater(reset) : undefined))
  })
  from.on('end', () => void previous.then(() => to.end()))
}

async function write(to: Socket, bytes: Buffer, { delayMs = 0, splitBytes }: StreamFaults): Promise<void> {
  for (const chunk of splitBytes ? split(bytes, splitBytes) : [bytes]) {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (to.destroyed) return
    await new Promise<void>((resolve) => void to.write(chunk, () => resolve()))
    if (splitBytes) await new Promise(setImmediate)
  }
}

/** Lets the receiver read the earlier bytes first. With an immediate reset, it would not receive them. */
async function resetLater(reset: () => void): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, RESET_DELAY_MS))
  reset()
}

function split(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
}
