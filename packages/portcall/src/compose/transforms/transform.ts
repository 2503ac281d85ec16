import type { Auth, ExchangeContext } from '../../jsonrpc/exchange.ts'
import type { JsonObject, Request } from '../../jsonrpc/message.ts'
import type { ListedKind } from '../kinds.ts'
import type { UsedName } from '../names-in-use.ts'

/** Who sent the request that a transform is applied for. */
export interface TransformCaller {
  /** The authenticated caller. Absent if the caller is not authenticated. */
  readonly auth?: Auth | undefined
  /** The request. */
  readonly request: Request
  /** The context of the request, for instance with its HTTP headers. */
  readonly context: ExchangeContext
}

/** An item on its way from a server to a caller. */
export interface TransformItem {
  /** The kind of item. */
  readonly kind: ListedKind
  /** The name; the URI of a resource, or the URI template of a template. A transform may change the name of a tool or prompt. */
  readonly name: string
  /** The list entry of the item. `name` replaces its name. */
  readonly definition: JsonObject
  /** Returns the arguments for the server from those of the caller. */
  readonly prepareArguments?: (args: JsonObject, caller: TransformCaller) => JsonObject | Promise<JsonObject>
}

/**
 * Changes what a server offers. A transform only changes lists: a request finds its item by its name in the list of the caller, so what is not
 * listed cannot be used.
 */
export interface Transform {
  /** Returns the items that the caller sees, from all items of one kind. */
  list(items: readonly TransformItem[], caller: TransformCaller): readonly TransformItem[]
  /**
   * The names that the transform refers to. A name that no list of the server has had is an error of the request: what it should hide or set
   * would stay as it is.
   */
  readonly names?: readonly UsedName[]
  /** True if callers see different items, or the same caller at different times. Then lists are not cached. Default: false. */
  readonly variesByCaller?: boolean
  /** Returns whether something may be used that is not listed, such as a resource that only matches a template. Default: yes. */
  allows?(kind: ListedKind, name: string): boolean
  /** Calls the listener when the lists may have changed. Returns a function that unsubscribes. */
  onChange?(listener: () => void): () => void
}
