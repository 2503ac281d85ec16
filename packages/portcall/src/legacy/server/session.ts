/**
 * Adapts a legacy client to the core. The core has no sessions: each request to it carries the capabilities of its client. A legacy
 * session therefore stores little (the handshake, the log level, the subscriptions). Its Exchange adds this state to each request,
 * calls the core, sends the core's input requests to the client, and renders the response for the negotiated revision.
 */
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { Auth, Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import { type JsonObject, type Notification, success } from '../../jsonrpc/message.ts'
import { invalidParams, methodNotFound } from '../../protocol/errors.ts'
import { isLoggingLevel } from '../../protocol/meta.ts'
import { LATEST_LEGACY, type Revision, revisionOf } from '../../protocol/revisions.ts'
import { endSession } from '../../protocol/session-end.ts'
import { type DowngradePlan, planFor } from '../render/downgrade-plan.ts'
import { renderError, renderNotification, renderResponse } from '../render/render.ts'
import { applyInitialize, initializeResult } from './handshake.ts'
import { createSessionState, type SessionState, type StateChange } from './session-state.ts'
import { addSubscription, createLegacySubscriptions, type LegacySubscriptions } from './subscriptions.ts'
import { requestMetaOf, UpgradedRequest } from './upgraded-request.ts'

export interface LegacySessionOptions {
  readonly core: Exchange
  /** The state of a session that exists already. Default: the session starts with the handshake. */
  readonly state?: SessionState
  /** Sends notifications about changes, already rendered for the client. They belong to no request. */
  readonly notify: (notification: Notification) => void | Promise<void>
  readonly auth?: Auth | undefined
  /**
   * Applies a state change on all processes that serve the session, including this one. Requests that change the state are answered
   * after it resolves, and changes are reported only while this process listens. Default: the state is local.
   */
  readonly commit?: ((change: StateChange) => Promise<void>) | undefined
}

/** Serves a method that the core does not define. */
type LocalMethod = (session: LegacySession, params: JsonObject, context: ExchangeContext) => JsonObject | Promise<JsonObject>

/** A session with a legacy client. */
export class LegacySession {
  readonly state: SessionState
  readonly #options: LegacySessionOptions
  #plan: DowngradePlan
  #subscriptions: LegacySubscriptions | undefined
  #closed = false

  constructor(options: LegacySessionOptions) {
    this.state = options.state ?? createSessionState()
    this.#options = options
    this.#plan = planFor(revisionOf(this.state.revision) ?? LATEST_LEGACY, this.state.clientCapabilities)
  }

  /** The negotiated revision; the latest legacy one before the handshake. */
  get revision(): Revision {
    return this.#plan.revision
  }

  /** Answers the client's requests in the negotiated revision. */
  readonly exchange: Exchange = async (request, context) => {
    const { id, method, params } = request
    const plan = this.#plan
    try {
      if (plan.unsupportedRequests.has(method)) throw methodNotFound(method)
      const acknowledged = this.#subscriptions?.acknowledged
      if (acknowledged) await acknowledged
      const local = LegacySession.#localMethods.get(method)
      if (local) return success(id, await local(this, params ?? {}, context))
      const { core } = this.#options
      const call = { core, context, requestMeta: requestMetaOf(this.state), plan }
      const isTaskRequest = method === 'tools/call' ? params?.task !== undefined && hasTasks(plan) : method.startsWith('tasks/')
      if (isTaskRequest) return await (await import('./tasks.ts')).serveTaskRequest(request, call)
      const upgraded = new UpgradedRequest(request, call)
      let response = await core(upgraded.request, upgraded)
      if ('result' in response && response.result.resultType === 'input_required') response = await upgraded.complete(response)
      return renderResponse(method, response, plan)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return { jsonrpc: '2.0', id, error: renderError(method, error.body(), plan) }
    }
  }

  static readonly #localMethods: ReadonlyMap<string, LocalMethod> = new Map<string, LocalMethod>([
    ['initialize', (session, params, context) => session.#initialize(params, context)],
    ['ping', () => ({})],
    [
      'logging/setLevel',
      async (session, { level }) => {
        if (!isLoggingLevel(level)) throw invalidParams('level must be one of the eight levels of RFC 5424')
        await session.#change((state) => void (state.logLevel = level))
        return {}
      },
    ],
    [
      'resources/subscribe',
      async (session, { uri }, context) => {
        await session.#getSubscriptions().subscribe(readUri(uri), context)
        await session.#change((state) => void (state.subscriptions = addSubscription(state.subscriptions, readUri(uri))))
        return {}
      },
    ],
    [
      'resources/unsubscribe',
      async (session, { uri }) => {
        session.#getSubscriptions().unsubscribe(readUri(uri))
        await session.#change((state) => void (state.subscriptions = state.subscriptions.filter((other) => other !== uri)))
        return {}
      },
    ],
  ])

  /** Starts to report changes; later calls do nothing. Resolves when the core will report them. */
  listen(): Promise<unknown> | undefined {
    if (this.#closed) return undefined
    const subscriptions = this.#getSubscriptions()
    subscriptions.listen(this.state.subscriptions)
    return subscriptions.acknowledged
  }

  /** Adopts the subscriptions that other processes have added to the state or removed from it. Does nothing unless it listens. */
  syncSubscriptions(): Promise<unknown> | undefined {
    return this.#subscriptions?.sync(this.state.subscriptions)
  }

  /** Reports every subscribed list and resource as changed, because changes may have been missed. Does nothing unless it listens. */
  notifyMissed(): Promise<void> | undefined {
    return this.#subscriptions?.notifyAll()
  }

  /** Stops reporting changes until `listen` is called again. */
  stopListening(): void {
    this.#subscriptions?.stopListening()
  }

  close(): void {
    this.#closed = true
    this.#subscriptions?.close()
    endSession(this.state)
  }

  #initialize(params: JsonObject, context: ExchangeContext): Promise<JsonObject> {
    const { state } = this
    if (state.initialized) throw new RpcError(ErrorCode.invalidRequest, 'Invalid request: this session is already initialized')
    const revision = applyInitialize(params, state)
    this.#plan = planFor(revision, state.clientCapabilities)
    return initializeResult({ core: this.#options.core, context, state, revision })
  }

  async #change(change: StateChange): Promise<void> {
    const { commit } = this.#options
    if (commit) await commit(change)
    else change(this.state)
  }

  /** Creates the subscriptions on first use: most sessions never subscribe to anything. */
  #getSubscriptions(): LegacySubscriptions {
    const { core, notify, auth, commit } = this.#options
    this.#subscriptions ??= createLegacySubscriptions({
      core,
      auth,
      onlyWhileListening: commit !== undefined,
      requestMeta: () => requestMetaOf(this.state),
      onChange: (change) => {
        const rendered = renderNotification(change, this.#plan)
        if (rendered) return notify(rendered)
      },
    })
    return this.#subscriptions
  }
}

function readUri(uri: unknown): string {
  if (typeof uri !== 'string') throw invalidParams('uri must be a string')
  return uri
}

/** Reports whether tasks are part of the revision. */
function hasTasks({ revision }: DowngradePlan): boolean {
  return revision.requests.includes('tasks/get')
}
