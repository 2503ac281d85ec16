import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import { isObject, isSuccess, type JsonObject, notification, type Response } from '../jsonrpc/message.ts'
import { MetaKey } from '../protocol/meta.ts'
import { MODERN_VERSIONS, type Revision } from '../protocol/revisions.ts'
import type { ClientCapabilities, Implementation } from '../protocol/types.ts'
import { withoutNulls } from './client-result.ts'
import type { LegacyLink } from './link.ts'
import { legacyRevisions, NegotiationError } from './negotiate.ts'
import { readAnsweredCapabilities, renderClientCapabilities } from './render-capabilities.ts'
import { renderImplementation } from './render-entity.ts'

export interface HandshakeOptions {
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  /** The versions to choose from; those of the stateless era do not count. Default: all. */
  readonly versions?: readonly string[]
}

/** What a handshake has shown of a server. */
export interface Handshake {
  readonly revision: Revision
  /** What `server/discover` answers, made of what `initialize` was answered with. */
  readonly discovered: JsonObject
}

/**
 * Shakes hands with a server: asks for the newest version, takes any that it knows.
 *
 * @throws NegotiationError when the server answers with another one; RpcError when it refuses.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export async function shakeHands(link: LegacyLink, options: HandshakeOptions): Promise<Handshake> {
  const revisions = legacyRevisions(options.versions)
  const supported = revisions.map(({ version }) => version)
  const [newest] = revisions
  if (!newest) throw new NegotiationError('none', supported, undefined)
  const { requested, result } = await initialize(link, { ...options, revisions, newest })
  const revision = revisions.find(({ version }) => version === result.protocolVersion)
  if (!revision) throw new NegotiationError(requested.version, supported, result.protocolVersion)
  const opening = link.opened(revision)
  opening.catch(() => {})
  await link.notify(notification('notifications/initialized'))
  await opening
  return { revision, discovered: readHandshake(result, revision) }
}

interface Opening extends HandshakeOptions {
  readonly revisions: readonly Revision[]
  readonly newest: Revision
}

/** Asks for the newest version; when the server refuses it and names one that is known here, for that one. */
async function initialize(link: LegacyLink, opening: Opening): Promise<{ requested: Revision; result: JsonObject }> {
  const { newest, revisions } = opening
  const first = await ask(link, newest, opening)
  if (isSuccess(first)) return { requested: newest, result: first.result }
  const named =
    first.error.code === ErrorCode.invalidParams && isObject(first.error.data) ? first.error.data.supported : undefined
  const other = revisions.find((revision) => revision !== newest && Array.isArray(named) && named.includes(revision.version))
  const second = other ? await ask(link, other, opening) : first
  if (isSuccess(second)) return { requested: other ?? newest, result: second.result }
  throw new RpcError(second.error.code, second.error.message, second.error.data)
}

function ask(link: LegacyLink, revision: Revision, { info, capabilities }: HandshakeOptions): Promise<Response> {
  const params = {
    protocolVersion: revision.version,
    capabilities: renderClientCapabilities(capabilities, revision),
    clientInfo: renderImplementation(info, revision),
  }
  return link.ask('initialize', params)
}

function readHandshake({ capabilities, serverInfo, instructions }: JsonObject, revision: Revision): JsonObject {
  return {
    resultType: 'complete',
    supportedVersions: [...MODERN_VERSIONS],
    capabilities: readAnsweredCapabilities(capabilities, revision),
    ...(typeof instructions === 'string' && { instructions }),
    ttlMs: 0,
    cacheScope: 'private',
    ...(isObject(serverInfo) && { _meta: { [MetaKey.serverInfo]: withoutNulls(serverInfo) } }),
  }
}
