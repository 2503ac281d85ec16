import type { InProcessTarget } from '../../connect/target.ts'
import { serve } from '../../serve/node.ts'
import type { ServerLike } from '../../server/types.ts'
import type { NodeServerLimits } from '../../transports/http/server/node/server.ts'
import type { HttpOptions } from '../../transports/http/server/options.ts'
import type { PairedServer } from './types.ts'

const DRAIN_TIMEOUT_MS = 100

/** Serves a server on a free port of localhost. Closing it does not close the server. */
export async function openPort(
  { exchange, methodOf, reportError = () => {} }: InProcessTarget & Partial<Pick<ServerLike, 'reportError'>>,
  options: HttpOptions & NodeServerLimits = {},
): Promise<PairedServer> {
  const server = { exchange, ...(methodOf && { methodOf }), reportError, close() {} }
  const serveOptions = { ...options, port: 0, drainTimeoutMs: DRAIN_TIMEOUT_MS, handleProcessSignals: false }
  const { url, close } = await serve(server, serveOptions)
  return { target: url, close }
}
