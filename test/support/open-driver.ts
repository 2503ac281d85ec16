import type { ServerLike } from 'portcall'
import { createDriver, type Driver, type DriverOptions } from './driver.ts'
import { createFetchEndpoint, startNodeEndpoint } from './http-endpoints.ts'
import type { Transport } from './setups.ts'
import type { Receive, Wire } from './wire.ts'
import { httpWire } from './wire-http.ts'
import { memoryWire } from './wire-memory.ts'
import { sseWire } from './wire-sse.ts'
import { stdioWire } from './wire-stdio.ts'

/** Both forms of a server under test: created in this process, and a program that serves over stdio. */
export interface ServerFactory {
  create(): ServerLike | Promise<ServerLike>
  program: string
  /** The arguments of the program. */
  args?: readonly string[]
  /** The environment of the program, in addition to that of this process. */
  env?: { readonly [name: string]: string }
}

const WIRES: Record<Transport, (server: ServerFactory, receive: Receive) => Promise<Wire>> = {
  memory: async ({ create }, receive) => memoryWire(await create(), receive),
  stdio: (server, receive) => stdioWire(server, receive),
  http: async ({ create }, receive) => httpWire(await startNodeEndpoint(await create()), receive),
  fetch: async ({ create }, receive) => httpWire(createFetchEndpoint(await create()), receive),
  sse: async ({ create }, receive) => sseWire(await startNodeEndpoint(await create()), receive),
}

/** Starts a server and opens a wire to it. */
export function openWire(server: ServerFactory, transport: Transport, receive: Receive): Promise<Wire> {
  return WIRES[transport](server, receive)
}

/** Starts a server in a setup and connects a driver to it. */
export function open(server: ServerFactory, options: DriverOptions): Promise<Driver> {
  return createDriver((receive) => openWire(server, options.transport, receive), options)
}
