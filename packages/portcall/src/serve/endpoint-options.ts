import { createCardDocuments } from '../cards/serve-documents.ts'
import type { ServerLike } from '../server/types.ts'
import { type EndpointOptions, type HttpOptions, httpOptionsOf } from '../transports/http/server/options.ts'

/** Returns the options of the endpoint of a server, with what the server determines. @throws TypeError if it makes no valid server card. */
export function endpointOptionsOf<O extends HttpOptions>(server: ServerLike, options: O): O & EndpointOptions {
  const all = { ...options, ...httpOptionsOf(server, options) }
  const publicDocuments = createCardDocuments({ info: server.info, options })
  return publicDocuments ? { ...all, publicDocuments } : all
}
