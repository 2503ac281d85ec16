import type { Server } from 'portcall'
import { createDriver, type Driver, type DriverOptions } from './driver.ts'
import { fetchDoor, nodeDoor } from './http-doors.ts'
import type { Transport } from './places.ts'
import type { Receive, Wire } from './wire.ts'
import { httpWire } from './wire-http.ts'
import { memoryWire } from './wire-memory.ts'
import { sseWire } from './wire-sse.ts'
import { stdioWire } from './wire-stdio.ts'

/** A server in both its forms: made in this process, and a program of its own that serves over stdio. */
export interface Served {
  create(): Server
  program: string
}

const WIRES: Record<Transport, (served: Served, receive: Receive) => Promise<Wire>> = {
  memory: ({ create }, receive) => memoryWire(create(), receive),
  stdio: ({ program }, receive) => stdioWire(program, receive),
  http: async ({ create }, receive) => httpWire(await nodeDoor(create()), receive),
  fetch: async ({ create }, receive) => httpWire(fetchDoor(create()), receive),
  sse: async ({ create }, receive) => sseWire(await nodeDoor(create()), receive),
}

/** Starts a server behind a wire. */
export function openWire(served: Served, transport: Transport, receive: Receive): Promise<Wire> {
  return WIRES[transport](served, receive)
}

/** Starts a server at a place and begins a conversation with it. */
export function open(served: Served, options: DriverOptions): Promise<Driver> {
  return createDriver((receive) => openWire(served, options.transport, receive), options)
}
