import { type AbortListener, onAbort } from '../../../../util/src/abort.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { Exchange, ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Notification, type Request, type Response } from '../../jsonrpc/message.ts'
import { CALLER_SESSION } from '../../protocol/caller-identity.ts'
import { LOCAL_STATE, type LocalState } from '../../protocol/local-state.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { MODERN_VERSIONS, REVISIONS } from '../../protocol/revisions.ts'
import { TASK_PREFERENCE, type TaskPreference } from '../../protocol/tasks.ts'
import type { LoggingLevel } from '../../protocol/types.ts'
import { type DowngradePlan, omitFields } from '../render/downgrade-plan.ts'
import { renderNotification } from '../render/render.ts'
import type { SessionState } from './session-state.ts'

const MAX_ROUND_TRIPS = 32
/** Params that only the newest revision defines. */
const ROUND_TRIP_PARAMS: readonly string[] = ['inputResponses', 'requestState']
/** Without `logging/setLevel` the server chooses the level. */
const DEFAULT_LOG_LEVEL: LoggingLevel = 'info'
const [NEWEST_VERSION] = MODERN_VERSIONS
/** The task preference of requests that do not ask for a task, by version. */
const TASK_PREFERENCES: ReadonlyMap<string, TaskPreference> = new Map(
  REVISIONS.map(({ version, requests }) => [version, requests.includes('tasks/get') ? 'not-requested' : 'unsupported']),
)

/** A request of a legacy client, and what is needed to serve it with the core. */
export interface LegacyCall {
  readonly core: Exchange
  readonly context: ExchangeContext
  /** The request metadata for requests to the core. */
  readonly requestMeta: JsonObject
  readonly plan: DowngradePlan
}

/** Returns the metadata that the newest revision requires on each request, from the state of a session. */
export function requestMetaOf(state: SessionState): JsonObject {
  const { revision, clientCapabilities, clientInfo, logLevel = DEFAULT_LOG_LEVEL } = state
  const meta: JsonObject & { [TASK_PREFERENCE]?: TaskPreference | undefined; [CALLER_SESSION]: SessionState } = {
    [MetaKey.protocolVersion]: NEWEST_VERSION,
    [MetaKey.clientCapabilities]: clientCapabilities,
    [MetaKey.logLevel]: logLevel,
    [TASK_PREFERENCE]: TASK_PREFERENCES.get(revision),
    [CALLER_SESSION]: state,
  }
  if (clientInfo) meta[MetaKey.clientInfo] = clientInfo
  return meta
}

/**
 * A request of a legacy client, upgraded to the newest revision. It is also the context of the request: notifications of the core are
 * rendered for the revision of the client.
 */
export class UpgradedRequest implements ExchangeContext {
  readonly request: Request
  readonly #call: LegacyCall

  constructor({ id, method, params = {} }: Request, call: LegacyCall) {
    const { requestMeta } = call
    const { _meta } = params
    // Spreading the params last is fastest, as in `withMeta`.
    const upgraded: JsonObject =
      '_meta' in params
        ? { ...params, _meta: isObject(_meta) ? { ..._meta, ...requestMeta } : requestMeta }
        : { _meta: requestMeta, ...params }
    this.request = { jsonrpc: '2.0', id, method, params: omitFields(upgraded, ROUND_TRIP_PARAMS) }
    this.#call = call
  }

  get signal(): AbortSignal {
    return this.#call.context.signal
  }
  onAbort(listener: AbortListener): () => void {
    return onAbort(this.#call.context, listener)
  }
  get http(): ExchangeContext['http'] {
    return this.#call.context.http
  }
  get auth(): ExchangeContext['auth'] {
    return this.#call.context.auth
  }
  get closeStream(): ExchangeContext['closeStream'] {
    return this.#call.context.closeStream
  }

  notify(notification: Notification): void | Promise<void> {
    const { context, plan } = this.#call
    const rendered = renderNotification(notification, plan)
    if (rendered) return context.notify(rendered)
  }

  /**
   * Completes a response of the core: while the core requires input, sends its input requests to the client and repeats the request
   * with the responses.
   *
   * @throws RpcError when the client cannot provide the input, or when the core requires input too often.
   */
  async complete(first: Response): Promise<Response> {
    const { core, context, plan } = this.#call
    let response = first
    for (let round = 0; isSuccess(response) && response.result.resultType === 'input_required'; round++) {
      if (round === MAX_ROUND_TRIPS)
        throw new RpcError(ErrorCode.internalError, `The call required input more than ${MAX_ROUND_TRIPS} times`)
      const { inputRequests, requestState } = response.result
      const { sendInputRequests } = await import('./input-requests.ts')
      const endCall = (response.result as LocalState)[LOCAL_STATE]
      const inputResponses = await sendInputRequests(inputRequests, context, plan).catch((error: unknown) => {
        endCall?.(error)
        throw error
      })
      const params = { ...this.request.params, inputResponses, requestState }
      response = await core({ ...this.request, params }, this)
    }
    return response
  }
}
