import type { ListedKind } from '../../compose/kinds.ts'
import type { RpcError } from '../../jsonrpc/errors.ts'
import type { Auth, Middleware, ServerDescription } from '../../jsonrpc/exchange.ts'
import type { JsonObject, Request } from '../../jsonrpc/message.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import type { ClientCapabilities, Implementation } from '../../protocol/types.ts'

/** The kinds of items that servers list: those of the protocol, and the event types of the extension. */
export type GatewayItemKind = ListedKind | 'event'

/** The sender of a request. */
export interface GatewayCaller {
  /** The authenticated caller. Absent if the caller is not authenticated. */
  readonly auth?: Auth | undefined
  /** The capabilities of the client. */
  readonly capabilities: ClientCapabilities
  /** The name and version of the client, as it declares them. */
  readonly clientInfo?: Implementation | undefined
  /** The request. Every method of a policy gets the same object for one request, so a policy can use it as a key. */
  readonly request?: Request | undefined
}

/** An item of a server. */
export interface GatewayItem {
  /** The name of the server in the configuration. */
  readonly server: string
  /** The kind of item. */
  readonly kind: GatewayItemKind
  /** The name on the server; the URI of a resource, or the URI template of a template. */
  readonly name: string
  /** The item as the server lists it. Absent if the server does not list it, as a resource that only matches a template. */
  readonly definition?: JsonObject | undefined
}

/** A request for one item of a server. */
export interface GatewayCall extends GatewayItem {
  /** The method: `tools/call`, `prompts/get`, `resources/read`, `completion/complete`, `events/poll`, `events/stream`, or `resources/subscribe` for a subscription. */
  readonly method: string
  /** The arguments of a tool, a prompt or a subscription to events. */
  readonly args?: JsonObject | undefined
  /** The sender of the request. */
  readonly caller: GatewayCaller
  /** The responses to the input requests of an earlier `ask` decision about the same call. Each is passed on once. */
  readonly answers?: JsonObject | undefined
  /** Aborted when the caller cancels the request. */
  readonly signal: AbortSignal
}

/**
 * The decision about a call. `deny` answers as if the item did not exist. `ask` sends input requests to the user and decides again with the
 * `answers`; the sealed state binds them to the same caller, server, item and arguments. `result` and `error` answer without the server.
 */
export type PolicyDecision =
  | 'allow'
  | 'deny'
  | {
      /** The input requests that the caller has to answer first, by key. */
      readonly ask: { readonly [key: string]: InputRequest }
    }
  | {
      /** The result, without asking the server. */
      readonly result: JsonObject
    }
  | {
      /** The error, without asking the server. */
      readonly error: RpcError
    }

/**
 * Decides what callers see and do. What is not visible cannot be called. After `allow`, an input round trip of the same call is not decided
 * again.
 */
export interface GatewayPolicy {
  /** The names of the servers that the policy is for. A gateway throws TypeError for a name that it has no server of. Default: all. */
  readonly servers?: readonly string[]
  /** Returns whether a caller may see and use an item. Called for each listed item and for each call: keep it fast. Default: all. */
  visible?(item: GatewayItem, caller: GatewayCaller): boolean
  /** Returns an item as it is listed to a caller, for instance with another description. Default: unchanged. */
  describe?(item: GatewayItem & { readonly definition: JsonObject }, caller: GatewayCaller): JsonObject
  /** Decides a call of a visible item. Default: `allow`. */
  decide?(call: GatewayCall): PolicyDecision | Promise<PolicyDecision>
  /** Returns the result of an allowed call as the caller gets it, for instance shortened or redacted. Default: unchanged. */
  result?(result: JsonObject, call: GatewayCall): JsonObject | Promise<JsonObject>
  /** Called when the items of a server have been listed, before anyone sees them. Returns the items to keep. Default: all. */
  listed?(
    server: string,
    kind: GatewayItemKind,
    items: readonly JsonObject[],
  ): readonly JsonObject[] | Promise<readonly JsonObject[]>
  /** As `listed`, for items that the server has listed earlier, while it has not answered yet. Default: `listed`. */
  listedEarlier?(
    server: string,
    kind: GatewayItemKind,
    items: readonly JsonObject[],
  ): readonly JsonObject[] | Promise<readonly JsonObject[]>
  /** Middleware for all requests of callers. It runs inside the middleware of the gateway. */
  readonly middleware?: readonly Middleware[]
  /** Returns middleware for the requests to a server, with the names that the server knows. It runs inside that of the server. */
  serverMiddleware?(server: string, target: ServerDescription): readonly Middleware[]
}
