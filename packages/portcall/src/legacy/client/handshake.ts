import { ErrorCode, resultOf } from '../../jsonrpc/errors.ts'
import { isObject, isSuccess, type JsonObject, notification, type Response } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { initializeParams } from '../../protocol/probes.ts'
import { MODERN_VERSIONS, type Revision } from '../../protocol/revisions.ts'
import type { ClientCapabilities, Implementation } from '../../protocol/types.ts'
import { legacyRevisions, NegotiationError } from '../negotiate.ts'
import { readLegacyServerCapabilities, renderClientCapabilities } from '../render/capabilities.ts'
import { renderImplementation } from '../render/definitions.ts'
import { withoutNulls } from '../render/fields.ts'
import type { LegacyConnection } from './connection.ts'

export interface HandshakeOptions {
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  /** The versions to negotiate; modern versions are ignored. Default: all legacy versions. */
  readonly versions?: readonly string[]
  /** Called when the server has answered `initialize` with one of the versions. */
  readonly onAccepted?: () => void
}

export interface Handshake {
  readonly revision: Revision
  /** The result of `server/discover`, derived from the result of `initialize`. */
  readonly discovered: JsonObject
}

/**
 * Performs the handshake: requests the newest version, and accepts any of the versions in `options`.
 *
 * @throws NegotiationError when the server chooses another version; RpcError when it rejects the handshake.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export async function performHandshake(connection: LegacyConnection, options: HandshakeOptions): Promise<Handshake> {
  const revisions = legacyRevisions(options.versions)
  const supported = revisions.map(({ version }) => version)
  const [newest] = revisions
  if (!newest) throw new NegotiationError('none', supported, undefined)
  const { requested, result } = await initialize(connection, { ...options, revisions, newest })
  const revision = revisions.find(({ version }) => version === result.protocolVersion)
  if (!revision) throw new NegotiationError(requested.version, supported, result.protocolVersion)
  options.onAccepted?.()
  const initialized = connection.initialized(revision)
  initialized.catch(() => {})
  await connection.notify(notification('notifications/initialized'))
  await initialized
  return { revision, discovered: readInitializeResult(result, revision) }
}

interface InitializeOptions extends HandshakeOptions {
  readonly revisions: readonly Revision[]
  readonly newest: Revision
}

/** Requests the newest version. If the server rejects it and lists a version that this client supports, requests that one. */
async function initialize(
  connection: LegacyConnection,
  options: InitializeOptions,
): Promise<{ requested: Revision; result: JsonObject }> {
  const { newest, revisions } = options
  const first = await sendInitialize(connection, newest, options)
  if (isSuccess(first)) return { requested: newest, result: first.result }
  const listed =
    first.error.code === ErrorCode.invalidParams && isObject(first.error.data) ? first.error.data.supported : undefined
  const other = revisions.find((revision) => revision !== newest && Array.isArray(listed) && listed.includes(revision.version))
  const second = other ? await sendInitialize(connection, other, options) : first
  return { requested: other ?? newest, result: resultOf(second, 'initialize') }
}

function sendInitialize(
  connection: LegacyConnection,
  revision: Revision,
  { info, capabilities }: HandshakeOptions,
): Promise<Response> {
  const clientInfo = renderImplementation(info, revision)
  const params = initializeParams(revision.version, clientInfo, renderClientCapabilities(capabilities, revision))
  return connection.request('initialize', params)
}

function readInitializeResult({ capabilities, serverInfo, instructions }: JsonObject, revision: Revision): JsonObject {
  return {
    resultType: 'complete',
    supportedVersions: [...MODERN_VERSIONS],
    capabilities: readLegacyServerCapabilities(capabilities, revision),
    ...(typeof instructions === 'string' && { instructions }),
    ttlMs: 0,
    cacheScope: 'private',
    ...(isObject(serverInfo) && { _meta: { [MetaKey.serverInfo]: withoutNulls(serverInfo) } }),
  }
}
