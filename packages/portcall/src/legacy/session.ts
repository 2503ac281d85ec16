/**
 * Makes a client of the legacy era look new. The core knows no sessions: each of its requests carries who asks and what that one
 * can do. A legacy session is therefore a small memory (what `initialize` said, the log level, the subscriptions) and an Exchange
 * that writes this memory into each request, calls the core, puts the core's questions to the client as requests, and renders the
 * answer for the revision that was negotiated.
 */
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { Auth, Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { type JsonObject, type Notification, type Request, success } from '../jsonrpc/message.ts'
import { invalidParams, methodNotFound } from '../protocol/errors.ts'
import { isLoggingLevel } from '../protocol/meta.ts'
import { LATEST_LEGACY, REVISIONS, type Revision, revisionOf } from '../protocol/revisions.ts'
import { Forwarded } from './forward.ts'
import { envelopeOf, handshakeResult, newState, readHandshake, type SessionState } from './handshake.ts'
import { renderError, renderNotification, renderResponse } from './render.ts'
import { createLegacySubscriptions, type LegacySubscriptions, withUri } from './subscriptions.ts'

export interface LegacySessionOptions {
  readonly core: Exchange
  readonly state?: SessionState
  /** Sends what concerns the session and no request of it: changes, already rendered. */
  readonly notify: (notification: Notification) => void | Promise<void>
  readonly auth?: Auth | undefined
  /**
   * Makes a change to the state where other processes serve the same session, here and there; requests that change it are answered after.
   * Then changes are told only while this process listens. Without it the state is here alone.
   */
  readonly share?: ((change: StateChange) => Promise<void>) | undefined
}

/** Changes what a session remembers; may run several times, each time on a fresh copy. */
export type StateChange = (state: SessionState) => void

/** One conversation with a client of the legacy era. */
export interface LegacySession {
  readonly state: SessionState
  readonly revision: Revision
  /** Answers the client's requests in its own revision. */
  readonly exchange: Exchange
  /** Starts to tell of changes; from the second time on it does nothing. The promise is there until the core tells them. */
  listen(): Promise<unknown> | undefined
  /** Takes up what others have changed in the subscriptions of its state; does nothing unless it listens. */
  follow(): Promise<unknown> | undefined
  /** Tells of all that may have changed while nobody listened; does nothing unless it listens. */
  missed(): Promise<void> | undefined
  /** Tells of changes no more, until it listens again. */
  rest(): void
  close(): void
}

const KNOWN_REQUESTS = new Set(REVISIONS.flatMap(({ requests }) => requests))

/** Makes a session that has shaken no hands yet, unless its state says otherwise. */
export function createLegacySession(options: LegacySessionOptions): LegacySession {
  return new Translator(options)
}

/** Serves a method that the core does not know. */
type Local = (session: Translator, params: JsonObject, context: ExchangeContext) => JsonObject | Promise<JsonObject>

const LOCAL: ReadonlyMap<string, Local> = new Map<string, Local>([
  ['initialize', (session, params, context) => session.open(params, context)],
  ['ping', () => ({})],
  [
    'logging/setLevel',
    async (session, { level }) => {
      if (!isLoggingLevel(level)) throw invalidParams('level has to be one of the eight levels of RFC 5424')
      await session.change((state) => void (state.logLevel = level))
      return {}
    },
  ],
  [
    'resources/subscribe',
    async (session, { uri }, context) => {
      await session.subscriptions.subscribe(uriOf(uri), context)
      await session.change((state) => void (state.subscriptions = withUri(state.subscriptions, uriOf(uri))))
      return {}
    },
  ],
  [
    'resources/unsubscribe',
    async (session, { uri }) => {
      session.subscriptions.unsubscribe(uriOf(uri))
      await session.change((state) => void (state.subscriptions = state.subscriptions.filter((other) => other !== uri)))
      return {}
    },
  ],
])

class Translator implements LegacySession {
  readonly state: SessionState
  revision: Revision
  #options: LegacySessionOptions
  #subscriptions: LegacySubscriptions | undefined
  #closed = false

  constructor(options: LegacySessionOptions) {
    this.state = options.state ?? newState()
    this.revision = revisionOf(this.state.revision) ?? LATEST_LEGACY
    this.#options = options
  }

  readonly exchange: Exchange = async (request, context) => {
    const { id, method } = request
    const { revision } = this
    try {
      if (KNOWN_REQUESTS.has(method) && !revision.requests.includes(method)) throw methodNotFound(method)
      const opening = this.#subscriptions?.opening
      if (opening) await opening
      const local = LOCAL.get(method)
      if (local) return success(id, await local(this, request.params ?? {}, context))
      const { core } = this.#options
      const forwarding = { core, envelope: envelopeOf(this.state), context, revision }
      if (speaksOfTasks(request, revision)) return await (await import('./tasks.ts')).serveTask(request, forwarding)
      const forwarded = new Forwarded(request, forwarding)
      const settled = forwarded.settle(await core(forwarded.request, forwarded))
      return renderResponse(method, settled instanceof Promise ? await settled : settled, revision)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return { jsonrpc: '2.0', id, error: renderError(method, error.body(), revision) }
    }
  }

  /** Made when it is first needed: most sessions never subscribe to anything. */
  get subscriptions(): LegacySubscriptions {
    const { core, notify, auth, share } = this.#options
    return (this.#subscriptions ??= createLegacySubscriptions({
      core,
      auth,
      onlyWhileListening: share !== undefined,
      envelope: () => envelopeOf(this.state),
      onChange: (change) => {
        const rendered = renderNotification(change, this.revision)
        if (rendered) return notify(rendered)
      },
    }))
  }

  open(params: JsonObject, context: ExchangeContext): Promise<JsonObject> {
    if (this.state.opened) throw new RpcError(ErrorCode.invalidRequest, 'Invalid request: this session is initialized already')
    this.revision = readHandshake(params, this.state)
    return handshakeResult(this.#options.core, this.state, { revision: this.revision, context })
  }

  async change(change: StateChange): Promise<void> {
    const { share } = this.#options
    if (share) await share(change)
    else change(this.state)
  }

  listen(): Promise<unknown> | undefined {
    if (this.#closed) return undefined
    this.subscriptions.listen(this.state.subscriptions)
    return this.subscriptions.opening
  }

  follow(): Promise<unknown> | undefined {
    return this.#subscriptions?.follow(this.state.subscriptions)
  }

  missed(): Promise<void> | undefined {
    return this.#subscriptions?.missed()
  }

  rest(): void {
    this.#subscriptions?.rest()
  }

  close(): void {
    this.#closed = true
    this.#subscriptions?.close()
  }
}

function uriOf(uri: unknown): string {
  if (typeof uri !== 'string') throw invalidParams('uri has to be a string')
  return uri
}

/** Tells whether a request is about tasks, or is to become one where the revision has that. */
function speaksOfTasks({ method, params }: Request, { requests }: Revision): boolean {
  return method.startsWith('tasks/') || (method === 'tools/call' && params?.task !== undefined && requests.includes('tasks/get'))
}
