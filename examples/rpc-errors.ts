/** A JSON-RPC error: the client program receives its code, message and data. */
import { createServer, RpcError } from 'portcall'

const QUOTA_EXCEEDED = 4290
export const server = createServer({ name: 'quota', version: '1.0.0' })

server.tool('render', { description: 'Renders a picture' }, () => {
  throw new RpcError(QUOTA_EXCEEDED, 'The quota of this month is used up', { retryAfterSeconds: 3600 })
})
