import { foldCase } from '../../../../util/src/fold-case.ts'
import { KNOWN_LIST } from '../../compose/list-tools.ts'
import { credentialKey } from '../../jsonrpc/authorization-key.ts'
import type { Auth, ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Request } from '../../jsonrpc/message.ts'
import { invalidParams, unsupportedProtocolVersion } from '../../protocol/errors.ts'
import { readRequestMeta } from '../../protocol/meta.ts'
import { MODERN_VERSIONS } from '../../protocol/revisions.ts'
import { subrequestMeta } from '../../protocol/subrequest.ts'
import type { ClientCapabilities, Implementation } from '../../protocol/types.ts'
import type { CombinedPolicies } from './combine.ts'
import { ITEM_SELECTION, type ItemSelection } from './item-selection.ts'
import type { GatewayCaller } from './types.ts'

/** The params that a gateway reads. */
const PARAMS = [
  'name',
  'arguments',
  'uri',
  'ref',
  'argument',
  'context',
  'cursor',
  'taskId',
  'task',
  'requestState',
  'inputResponses',
  'notifications',
  '_meta',
]
/** The members of `ref` and `argument`. */
const MEMBERS = ['type', 'name', 'uri', 'value']
const NAMES = [...PARAMS, ...MEMBERS]
const KNOWN: ReadonlySet<string> = new Set(NAMES)
const SPELLINGS: ReadonlyMap<string, string> = new Map(NAMES.map((name) => [foldCase(name), name]))

/** The caller of one request, and what the servers of the gateway may know about it. */
export class Caller implements GatewayCaller {
  readonly auth: Auth | undefined
  readonly capabilities: ClientCapabilities
  readonly clientInfo: Implementation | undefined
  /** The `_meta` of the request. */
  readonly meta: JsonObject
  readonly request: Request
  /** The policies when the request arrived. */
  readonly policies: CombinedPolicies
  #key: string | undefined
  #capabilitiesKey: string | undefined

  /** @throws RpcError if the metadata of the request is missing or invalid, or if params have ambiguous names. */
  constructor(request: Request, context: ExchangeContext, policies: CombinedPolicies) {
    const { params } = request
    const { protocolVersion, clientCapabilities, clientInfo } = readRequestMeta(params)
    if (!MODERN_VERSIONS.includes(protocolVersion)) throw unsupportedProtocolVersion(protocolVersion, MODERN_VERSIONS)
    if (params) checkParamNames(params)
    this.request = request
    this.policies = policies
    this.auth = context.auth
    this.capabilities = clientCapabilities
    this.clientInfo = clientInfo
    this.meta = isObject(params?._meta) ? params._meta : {}
  }

  /** Identifies callers that get the same lists: the same authorization with the same capabilities, as they are written. */
  get key(): string {
    this.#key ??= `${credentialKey(this.auth)} ${this.capabilitiesKey}`
    return this.#key
  }

  /** Identifies callers with the same capabilities, as they are written. */
  get capabilitiesKey(): string {
    this.#capabilitiesKey ??= JSON.stringify(this.capabilities)
    return this.#capabilitiesKey
  }

  /** The items that middleware keeps of the lists that the caller requests. */
  get selection(): ItemSelection | undefined {
    return (this.meta as { readonly [ITEM_SELECTION]?: ItemSelection })[ITEM_SELECTION]
  }

  /** True if the lists that were fetched last are new enough for the request. */
  get acceptsKnownLists(): boolean {
    return KNOWN_LIST in this.meta
  }

  /** Returns the `_meta` for requests on behalf of several requests of this caller: without what belongs to one of them. */
  get sharedMeta(): JsonObject {
    const all: JsonObject & { [ITEM_SELECTION]?: unknown; [KNOWN_LIST]?: unknown } = subrequestMeta(this.request)
    const { [ITEM_SELECTION]: _selection, [KNOWN_LIST]: _isKnown, ...meta } = all
    return meta
  }
}

/**
 * Checks the names of params and of the members of `ref` and `argument`. Some programs ignore case: the policies would decide about one value, and the
 * server would read another one.
 *
 * @throws RpcError -32602 if a name differs only in case from one that the gateway reads.
 */
function checkParamNames(params: JsonObject): void {
  for (const name of Object.keys(params)) {
    if (KNOWN.has(name)) continue
    const expected = SPELLINGS.get(foldCase(name))
    if (expected !== undefined) throw invalidParams(`"${name}" must be written "${expected}"`)
  }
  if (isObject(params.ref)) checkParamNames(params.ref)
  if (isObject(params.argument)) checkParamNames(params.argument)
}
