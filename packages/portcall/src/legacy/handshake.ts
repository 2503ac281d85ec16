import { RpcError } from '../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject } from '../jsonrpc/message.ts'
import { legacyExtensions } from '../protocol/extensions.ts'
import { MetaKey } from '../protocol/meta.ts'
import { LATEST_LEGACY, MODERN_VERSIONS, REVISIONS, type Revision } from '../protocol/revisions.ts'
import { TASK_WISH, type TaskWish } from '../protocol/tasks.ts'
import type { ClientCapabilities, Implementation, LoggingLevel, ServerCapabilities } from '../protocol/types.ts'
import { chooseRevision } from './negotiate.ts'
import { readCapabilities, renderCapabilities } from './render-capabilities.ts'
import { renderImplementation } from './render-entity.ts'

/** What a session remembers; plain JSON. */
export interface SessionState {
  revision: string
  clientInfo?: Implementation
  clientCapabilities: ClientCapabilities
  logLevel?: LoggingLevel
  /** `initialize` was answered. */
  opened: boolean
  subscriptions: string[]
}

/** Without `logging/setLevel` a server decides what to send. */
const DEFAULT_LOG_LEVEL: LoggingLevel = 'info'
const [MODERN] = MODERN_VERSIONS
/** What clients want of tasks who do not speak of them. */
const TASK_WISHES: ReadonlyMap<string, TaskWish> = new Map(
  REVISIONS.map(({ version, requests }) => [version, requests.includes('tasks/get') ? 'plain' : 'never']),
)

/** The state of a session before its handshake. */
export function newState(revision: Revision = LATEST_LEGACY): SessionState {
  return { revision: revision.version, clientCapabilities: {}, opened: false, subscriptions: [] }
}

/** The envelope that the newest revision wants on each request, out of what a session remembers. */
export function envelopeOf({ revision, clientCapabilities, clientInfo, logLevel = DEFAULT_LOG_LEVEL }: SessionState): JsonObject {
  const envelope: JsonObject & { [TASK_WISH]?: TaskWish | undefined } = {
    [MetaKey.protocolVersion]: MODERN,
    [MetaKey.clientCapabilities]: clientCapabilities,
    [MetaKey.logLevel]: logLevel,
    [TASK_WISH]: TASK_WISHES.get(revision),
  }
  if (clientInfo) envelope[MetaKey.clientInfo] = clientInfo
  return envelope
}

/** Takes what `initialize` says into the state of the session, and returns the revision that holds from now on. */
export function readHandshake(params: JsonObject, state: SessionState): Revision {
  const revision = chooseRevision(params.protocolVersion)
  state.revision = revision.version
  state.clientCapabilities = readCapabilities(params.capabilities, revision)
  if (isObject(params.clientInfo)) state.clientInfo = params.clientInfo as unknown as Implementation
  state.opened = true
  return revision
}

/** The answer to `initialize`: what the core says about itself, rendered. */
export async function handshakeResult(
  core: Exchange,
  state: SessionState,
  { revision, context }: { revision: Revision; context: ExchangeContext },
): Promise<JsonObject> {
  const response = await core({ jsonrpc: '2.0', id: 0, method: 'server/discover', params: { _meta: envelopeOf(state) } }, context)
  if (!isSuccess(response)) throw new RpcError(response.error.code, response.error.message, response.error.data)
  const { capabilities, instructions, _meta } = response.result
  heedExtensions(state.clientCapabilities, capabilities as ServerCapabilities)
  const serverInfo = isObject(_meta) ? _meta[MetaKey.serverInfo] : undefined
  return {
    protocolVersion: revision.version,
    capabilities: renderCapabilities(capabilities as ServerCapabilities, revision),
    serverInfo: renderImplementation(serverInfo as Implementation, revision),
    ...(typeof instructions === 'string' && { instructions }),
  }
}

/** Forgets that a client declares what the server does not speak with clients of its revision. */
function heedExtensions(client: ClientCapabilities, { extensions: spoken }: ServerCapabilities): void {
  if (client.extensions && spoken) client.extensions = legacyExtensions(client.extensions, spoken)
}
