import { RpcError } from '../../jsonrpc/errors.ts'
import type { Auth } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Notification } from '../../jsonrpc/message.ts'
import { retryDelayOf } from '../../jsonrpc/retryable.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { SubscriptionFilter } from '../../protocol/types.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import { requestResult } from '../upstreams/fetch-list.ts'
import type { GatewayUpstream } from '../upstreams/upstream.ts'
import type { Filter } from './filters.ts'

export interface UpstreamStreamOptions {
  readonly upstream: GatewayUpstream
  readonly meta: JsonObject
  readonly auth: Auth | undefined
  /** Returns the current policies. */
  readonly policies: () => CombinedPolicies
  readonly filter: Filter
  /** Ends the stream, as `close` does. */
  readonly signal: AbortSignal
  readonly onNotification: (notification: Notification) => void
  /** Called when the request was repeated in a new session, because the previous one had expired. */
  readonly onRenewed: (accepted: Filter) => void
  /** Called when the stream ends by itself: the server ended or refused it, or the connection was lost. */
  readonly onEnd: (stream: UpstreamStream, isRefused: boolean) => void
}

/** An open `subscriptions/listen` request. */
export interface UpstreamStream {
  readonly filter: Filter
  /** Resolves to what the server accepted, or `undefined` if the request failed first. */
  readonly acknowledged: Promise<Filter | undefined>
  close(): void
}

export function openUpstreamStream(options: UpstreamStreamOptions): UpstreamStream {
  const { upstream, meta, auth, policies, filter, onNotification, onRenewed, onEnd } = options
  const controller = new AbortController()
  const signal = AbortSignal.any([controller.signal, options.signal])
  let acknowledge!: (accepted: Filter | undefined) => void
  const acknowledged = new Promise<Filter | undefined>((resolve) => {
    acknowledge = resolve
  })
  const stream: UpstreamStream = { filter, acknowledged, close: () => controller.abort() }
  let isAcknowledged = false
  const notify = (message: Notification): void => {
    const { method, params = {} } = message
    if (method !== 'notifications/subscriptions/acknowledged')
      return onNotification({ ...message, params: withoutSubscriptionId(params) })
    const accepted: Filter = isObject(params.notifications) ? (params.notifications as SubscriptionFilter) : {}
    if (isAcknowledged) onRenewed(accepted)
    isAcknowledged = true
    acknowledge(accepted)
  }
  const end = (error: unknown): void => {
    const isRefused = error instanceof RpcError && retryDelayOf(error) === undefined
    acknowledge(isRefused ? {} : undefined)
    if (!signal.aborted) onEnd(stream, isRefused)
  }
  const params = { notifications: filter, _meta: meta }
  requestResult(
    upstream.exchangeUnder(policies()),
    { method: 'subscriptions/listen', params },
    { signal, notify, ...(auth && { auth }) },
  ).then(() => end(undefined), end)
  return stream
}

function withoutSubscriptionId(params: JsonObject): JsonObject {
  if (!isObject(params._meta)) return params
  const { [MetaKey.subscriptionId]: _id, ...meta } = params._meta
  return { ...params, _meta: meta }
}
