/**
 * Makes a client of the legacy era look new. The core knows no sessions: each of its requests carries who asks and what that one
 * can do. A legacy session is therefore a small memory (what `initialize` said, the log level, the subscriptions) and an Exchange
 * that writes this memory into each request, calls the core, puts the core's questions to the client as requests, and renders the
 * answer for the revision that was negotiated.
 */
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { Auth, Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { type JsonObject, type Notification, success } from '../jsonrpc/message.ts'
import { invalidParams, methodNotFound } from '../protocol/errors.ts'
import { isLoggingLevel } from '../protocol/meta.ts'
import { LATEST_LEGACY, REVISIONS, type Revision, revisionOf } from '../protocol/revisions.ts'
import { forward } from './forward.ts'
import { envelopeOf, handshakeResult, newState, readHandshake, type SessionState } from './handshake.ts'
import { renderError, renderNotification, renderResponse } from './render.ts'
import { createLegacySubscriptions } from './subscriptions.ts'

export interface LegacySessionOptions {
  readonly core: Exchange
  readonly state?: SessionState
  /** Sends what concerns the session and no request of it: changes, already rendered. */
  readonly notify: (notification: Notification) => void | Promise<void>
  readonly auth?: Auth | undefined
}

/** One conversation with a client of the legacy era. */
export interface LegacySession {
  readonly state: SessionState
  readonly revision: Revision
  /** Answers the client's requests in its own revision. */
  readonly exchange: Exchange
  /** Starts to tell of changes; from the second time on it does nothing. */
  listen(): void
  close(): void
}

const KNOWN_REQUESTS = new Set(REVISIONS.flatMap(({ requests }) => requests))

/** Serves a method that the core does not know. */
type Local = (params: JsonObject, context: ExchangeContext) => JsonObject | Promise<JsonObject>

export function createLegacySession({ core, notify, auth, state = newState() }: LegacySessionOptions): LegacySession {
  let revision = revisionOf(state.revision) ?? LATEST_LEGACY
  const subscriptions = createLegacySubscriptions({
    core,
    auth,
    envelope: () => envelopeOf(state),
    onChange: (change) => {
      const rendered = renderNotification(change, revision)
      if (rendered) return notify(rendered)
    },
  })

  const local: { readonly [method: string]: Local } = {
    initialize(params, context) {
      if (state.opened) throw new RpcError(ErrorCode.invalidRequest, 'Invalid request: this session is initialized already')
      revision = readHandshake(params, state)
      return handshakeResult(core, state, { revision, context })
    },
    ping: () => ({}),
    'logging/setLevel': ({ level }) => {
      if (!isLoggingLevel(level)) throw invalidParams('level has to be one of the eight levels of RFC 5424')
      state.logLevel = level
      return {}
    },
    'resources/subscribe': async ({ uri }, context) => {
      await subscriptions.subscribe(uriOf(uri), context)
      state.subscriptions = subscriptions.uris()
      return {}
    },
    'resources/unsubscribe': ({ uri }) => {
      subscriptions.unsubscribe(uriOf(uri))
      state.subscriptions = subscriptions.uris()
      return {}
    },
  }

  return {
    state,
    get revision() {
      return revision
    },
    async exchange(request, context) {
      const { id, method, params = {} } = request
      try {
        if (KNOWN_REQUESTS.has(method) && !revision.requests.includes(method)) throw methodNotFound(method)
        if (Object.hasOwn(local, method)) return success(id, (await local[method]?.(params, context)) ?? {})
        const response = await forward(core, request, { envelope: envelopeOf(state), context, revision })
        return renderResponse(method, response, revision)
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        return { jsonrpc: '2.0', id, error: renderError(method, error.body(), revision) }
      }
    },
    listen: () => subscriptions.listen(state.subscriptions),
    close: subscriptions.close,
  }
}

function uriOf(uri: unknown): string {
  if (typeof uri !== 'string') throw invalidParams('uri has to be a string')
  return uri
}
