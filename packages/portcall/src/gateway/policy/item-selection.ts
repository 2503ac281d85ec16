import type { JsonObject } from '../../jsonrpc/message.ts'
import type { GatewayItemKind } from './types.ts'

/** The key in the `_meta` of a request under which middleware passes on its selection of a list. A symbol cannot appear in a message. */
export const ITEM_SELECTION: unique symbol = Symbol('item selection')

/** The items of all servers that middleware keeps. */
export interface ItemSelection {
  /** Reports whether an item is kept, by its name in the gateway. */
  keeps(kind: GatewayItemKind, name: string): boolean
  /** Reports whether items whose names start with a prefix may be kept; without a prefix, whether all are. */
  mayKeep(prefix: string | undefined): boolean
  /** The only server whose items are kept. Default: all servers. */
  readonly server?: string | undefined
}

/** Returns the metadata of a request with a selection, besides the one that it may have. */
export function selectItems(meta: JsonObject, own: ItemSelection): JsonObject {
  const outer = (meta as { readonly [ITEM_SELECTION]?: ItemSelection })[ITEM_SELECTION]
  const both: ItemSelection | undefined = outer && {
    keeps: (kind, name) => outer.keeps(kind, name) && own.keeps(kind, name),
    mayKeep: (prefix) => outer.mayKeep(prefix) && own.mayKeep(prefix),
    server: outer.server ?? own.server,
  }
  return { ...meta, [ITEM_SELECTION]: both ?? own }
}
