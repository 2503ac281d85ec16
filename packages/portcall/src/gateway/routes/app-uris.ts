import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** The key of `_meta` that has the URI of a user interface, as earlier hosts read it. */
const FLAT_KEY = 'ui/resourceUri'

/** Marks the URIs of user interfaces in a `_meta`, which several servers may use. Returns the same object if it has none. */
export function markAppUris(meta: JsonObject, mark: (uri: string) => string): JsonObject {
  const { ui, [FLAT_KEY]: flat } = meta
  const nested =
    isObject(ui) && typeof ui.resourceUri === 'string' ? { ui: { ...ui, resourceUri: mark(ui.resourceUri) } } : undefined
  const old = typeof flat === 'string' ? { [FLAT_KEY]: mark(flat) } : undefined
  return nested || old ? { ...meta, ...nested, ...old } : meta
}
