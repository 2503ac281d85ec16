import type { AddressInfo } from 'node:net'
import type { Served } from '../connect/target.ts'
import { createNodeServer, type NodeServerLimits } from '../transports/http/node-server.ts'
import type { HttpOptions } from '../transports/http/options.ts'
import type { Place } from './place.ts'

const PATH = '/mcp'
const DRAIN_MS = 100

/** Serves a server on a free port of this machine. */
export async function openPort(server: Served, options: HttpOptions & NodeServerLimits = {}): Promise<Place> {
  const { path = PATH } = options
  const http = createNodeServer(server.exchange, { ...(server.methodOf && { methodOf: server.methodOf }), ...options, path })
  await new Promise<void>((resolve, reject) => {
    http.server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const { port } = http.server.address() as AddressInfo
  return { target: `http://127.0.0.1:${port}${path}`, close: () => http.close(DRAIN_MS) }
}
