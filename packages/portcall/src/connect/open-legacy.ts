import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import type { Deadlines } from '../client/deadlines.ts'
import { readResult } from '../client/requester.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { UnexpectedMessage } from '../jsonrpc/unexpected-message.ts'
import { openLegacyClient } from '../legacy/client/client.ts'
import type { LegacyConnection } from '../legacy/client/connection.ts'
import type { OnInputRequest } from '../legacy/client/input-requests.ts'
import type { identityOf } from '../protocol/caller-identity.ts'
import type { InputRequestHandler } from '../protocol/input-types.ts'
import type { MethodLookup } from '../protocol/methods.ts'
import type { ClientCapabilities, Implementation } from '../protocol/types.ts'
import type { WireObserver } from './options.ts'
import type { OpenConnection } from './reconnect.ts'

/** The requirements of opening a connection on the client, whatever the transport and the era. */
export interface ConnectContext {
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  /** Handles the input requests of a session. Default: the calls that they belong to return them. */
  readonly handleInputRequest?: InputRequestHandler
  /** Returns what identifies the caller of a request, for calls that wait for input. */
  readonly identityOf?: typeof identityOf
  /** How long a call waits for the responses to its input requests, in milliseconds. Default: 5 minutes. */
  readonly suspendTtlMs?: number
  /** Called when the server asks the caller of a request for input. */
  readonly onInputRequest?: OnInputRequest
  /** `_meta` of a request of the newest revision. */
  readonly meta: JsonObject
  /** The legacy protocol version to use; negotiated if `undefined`. */
  readonly legacyVersion: string | undefined
  /** Receives the log messages of a session. Default: the requests that asked for log messages receive them. */
  readonly onLog?: (params: JsonObject) => void
  /** Receives the sender of messages that are not translated. */
  readonly onOpen?: WireObserver['onOpen']
  /** Called when the server has answered `initialize` with a version that the client supports. */
  readonly onAccepted?: () => void
  readonly onUnexpectedMessage: (message: UnexpectedMessage) => void
  /** The timeout of the probe. Default: that of the kind of target. */
  readonly probeTimeoutMs: number | undefined
  readonly deadlines: Deadlines
  readonly methodOf: MethodLookup
  /** Aborts the handshake. */
  readonly signal: AbortSignal
}

/** Performs the handshake with a legacy server. */
export async function openLegacy(connection: LegacyConnection, context: ConnectContext): Promise<OpenConnection> {
  const { info, capabilities, handleInputRequest, onLog, legacyVersion, signal } = context
  const client = await openLegacyClient({
    connection,
    info,
    capabilities,
    signal,
    ...withoutUndefined({
      handleInputRequest,
      identityOf: context.identityOf,
      suspendTtlMs: context.suspendTtlMs,
      onInputRequest: context.onInputRequest,
      onLog,
      onAccepted: context.onAccepted,
    }),
    ...(legacyVersion !== undefined && { versions: [legacyVersion] }),
  })
  context.onOpen?.({
    request: async (method, params, outgoing) => readResult(await connection.request(method, params, outgoing), method),
    notify: (message) => connection.notify(message),
  })
  const { exchange, onClose, close, revision } = client
  const session = { hasSession: true, sessionId: connection.sessionId, protocolVersion: revision.version }
  return { ...session, exchange, sendsParamHeaders: false, onEnd: onClose, close }
}
