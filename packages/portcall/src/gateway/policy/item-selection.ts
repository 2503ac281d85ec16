import type { GatewayItemKind } from './types.ts'

/** The key in the `_meta` of a request under which middleware passes on its selection of a list. A symbol cannot appear in a message. */
export const ITEM_SELECTION: unique symbol = Symbol('item selection')

/** The items of all servers that middleware keeps. */
export interface ItemSelection {
  /** Reports whether an item is kept, by its name in the gateway. */
  keeps(kind: GatewayItemKind, name: string): boolean
  /** Reports whether items whose names start with a prefix may be kept; without a prefix, whether all are. */
  mayKeep(prefix: string | undefined): boolean
}
