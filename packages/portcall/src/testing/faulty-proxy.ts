import type { AddressInfo, Socket } from 'node:net'

/** What goes wrong with the bytes of one direction of each connection. */
export interface StreamFaults {
  /** Bytes arrive so many milliseconds later. */
  readonly delayMs?: number
  /** Bytes arrive in pieces of at most this size, each on its own. */
  readonly splitBytes?: number
  /** From this byte on nothing arrives, and the connection stays open. */
  readonly dropAfterBytes?: number
  /** The connection is reset before this byte. */
  readonly resetAfterBytes?: number
}

/** What a proxy stands before, and what goes wrong in it. */
export interface FaultyProxyOptions {
  /** Where the server listens: its URL, or a port of this machine. */
  readonly target: string | URL | number
  /** What goes wrong on the way to the server. */
  readonly toServer?: StreamFaults
  /** What goes wrong on the way to the client. */
  readonly toClient?: StreamFaults
  /** Connections are reset at once. */
  readonly refuse?: boolean
}

/** What can be changed while the proxy runs. */
export type ProxyFaults = Pick<FaultyProxyOptions, 'toServer' | 'toClient' | 'refuse'>

/** A proxy between a client and a server on this machine. */
export interface FaultyProxy {
  /** The URL of the target, by way of the proxy. */
  readonly url: string
  readonly port: number
  /** How many connections are open, and how many were made. */
  readonly open: number
  readonly made: number
  /** Takes the place of all faults from the next byte on, which is then the first: `set({})` mends everything. */
  set(faults: ProxyFaults): void
  /** Resets all connections. */
  cut(): void
  close(): Promise<void>
}

/** Starts a proxy for TCP connections on a free port of this machine, on which things go wrong. */
export async function faultyProxy({ target, ...first }: FaultyProxyOptions): Promise<FaultyProxy> {
  const { connect, createServer } = await import('node:net')
  const url = new URL(typeof target === 'number' ? `http://127.0.0.1:${target}` : target)
  const port = Number(url.port || 80)
  const pairs = new Set<Pair>()
  let faults: ProxyFaults = first
  let made = 0

  const server = createServer({ allowHalfOpen: true }, (client) => {
    made++
    if (faults.refuse) return void client.resetAndDestroy()
    const pair = joinSockets(
      client,
      connect({ port, host: url.hostname.replace(/[[\]]/g, ''), allowHalfOpen: true }),
      () => faults,
    )
    pairs.add(pair)
    client.on('close', () => pairs.delete(pair))
  })
  const cut = (): void => {
    for (const pair of pairs) pair.reset()
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const own = (server.address() as AddressInfo).port
  return {
    url: `http://127.0.0.1:${own}${url.pathname}${url.search}`,
    port: own,
    get open() {
      return pairs.size
    },
    get made() {
      return made
    },
    set(next) {
      faults = next
    },
    cut,
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Pair {
  reset(): void
}

function joinSockets(client: Socket, server: Socket, faults: () => ProxyFaults): Pair {
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
  carry(client, server, { faults: () => faults().toServer ?? NONE, reset })
  carry(server, client, { faults: () => faults().toClient ?? NONE, reset })
  return { reset }
}

const NONE: StreamFaults = {}
const READING_MS = 20

interface Way {
  readonly faults: () => StreamFaults
  reset(): void
}

/** Carries bytes from one socket to the other, one piece after another. */
function carry(from: Socket, to: Socket, { faults, reset }: Way): void {
  let current = faults()
  let carried = 0
  let last = Promise.resolve()

  from.on('data', (bytes: Buffer) => {
    if (current !== faults()) carried = 0
    current = faults()
    const { dropAfterBytes = Infinity, resetAfterBytes = Infinity } = current
    const kept = bytes.subarray(0, Math.max(0, Math.min(dropAfterBytes, resetAfterBytes) - carried))
    carried += bytes.length
    const now = current
    const isOver = carried > resetAfterBytes
    last = last.then(() => write(to, kept, now)).then(() => (isOver ? afterwards(reset) : undefined))
  })
  from.on('end', () => void last.then(() => to.end()))
}

async function write(to: Socket, bytes: Buffer, { delayMs = 0, splitBytes }: StreamFaults): Promise<void> {
  for (const piece of splitBytes ? pieces(bytes, splitBytes) : [bytes]) {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (to.destroyed) return
    await new Promise<void>((resolve) => void to.write(piece, () => resolve()))
    if (splitBytes) await new Promise(setImmediate)
  }
}

/** A reset that follows at once looks like an end to whoever has not read what came before. */
async function afterwards(reset: () => void): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, READING_MS))
  reset()
}

function pieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
}
