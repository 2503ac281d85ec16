import type { BearerChallenge } from '../../auth/client/discovery/challenge.ts'
import type { AuthFetch, AuthorizationServer, ClientIdentity, TokenSet } from '../../auth/client/types.ts'
import type { FlowLog } from './flow-log.ts'
import type { AuthDebuggerOptions } from './flow-state.ts'
import type { CallbackReceiver } from './receive-callback.ts'

/** The state of a flow. It contains secrets. */
export interface FlowSession {
  challenge?: BearerChallenge
  server?: AuthorizationServer
  resource?: string
  scope?: string | undefined
  client?: ClientIdentity
  tokens?: TokenSet
}

/** The parts that the steps of a flow share. */
export interface FlowParts {
  readonly endpoint: URL
  readonly options: Pick<AuthDebuggerOptions, 'redirectUri' | 'client' | 'clientMetadataUrl' | 'clientName' | 'scopes'>
  readonly signal: AbortSignal
  readonly log: FlowLog
  readonly fetch: AuthFetch
  readonly checkBrowserUrl: (url: string | URL) => URL
  readonly callbacks: CallbackReceiver
  session: FlowSession
}
