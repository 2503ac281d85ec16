import type { Served } from '../connect/target.ts'
import { serve } from '../node.ts'
import type { NodeServerLimits } from '../transports/http/node-server.ts'
import type { HttpOptions } from '../transports/http/options.ts'
import type { Place } from './place.ts'

const DRAIN_MS = 100

/** Serves a server on a free port of this machine; the server itself goes on when that is closed. */
export async function openPort({ exchange, methodOf }: Served, options: HttpOptions & NodeServerLimits = {}): Promise<Place> {
  const served = { exchange, ...(methodOf && { methodOf }), report() {}, close() {} }
  const { url, close } = await serve(served, { ...options, port: 0, drainMs: DRAIN_MS, signals: false })
  return { target: url, close }
}
