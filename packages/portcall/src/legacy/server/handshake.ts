import { resultOf } from '../../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { legacyExtensions } from '../../protocol/extensions.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { discoverRequest } from '../../protocol/probes.ts'
import type { Revision } from '../../protocol/revisions.ts'
import type { Implementation, ServerCapabilities } from '../../protocol/types.ts'
import { chooseRevision } from '../negotiate.ts'
import { readLegacyClientCapabilities, renderServerCapabilities } from '../render/capabilities.ts'
import { renderImplementation } from '../render/definitions.ts'
import type { SessionState } from './session-state.ts'
import { requestMetaOf } from './upgraded-request.ts'

/** Applies the params of `initialize` to the state of a session. Returns the negotiated revision. */
export function applyInitialize(params: JsonObject, state: SessionState): Revision {
  const revision = chooseRevision(params.protocolVersion)
  state.revision = revision.version
  state.clientCapabilities = readLegacyClientCapabilities(params.capabilities, revision)
  if (isObject(params.clientInfo)) state.clientInfo = params.clientInfo as unknown as Implementation
  state.initialized = true
  return revision
}

export interface InitializeOptions {
  readonly core: Exchange
  readonly context: ExchangeContext
  readonly state: SessionState
  readonly revision: Revision
}

/**
 * Returns the result of `initialize`, from what the core returns for `server/discover`. Removes the extensions from the client
 * capabilities in `state` that the server does not support for clients of legacy revisions.
 */
export async function initializeResult({ core, context, state, revision }: InitializeOptions): Promise<JsonObject> {
  const request = discoverRequest(0, requestMetaOf(state))
  const result = resultOf(await core(request, context), request.method)
  const { instructions, _meta } = result
  const capabilities = result.capabilities as ServerCapabilities
  const { clientCapabilities } = state
  if (clientCapabilities.extensions && capabilities.extensions)
    clientCapabilities.extensions = legacyExtensions(clientCapabilities.extensions, capabilities.extensions)
  const serverInfo = isObject(_meta) ? _meta[MetaKey.serverInfo] : undefined
  return {
    protocolVersion: revision.version,
    capabilities: renderServerCapabilities(capabilities, revision),
    serverInfo: renderImplementation(serverInfo as Implementation, revision),
    ...(typeof instructions === 'string' && { instructions }),
  }
}
