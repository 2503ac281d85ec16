import type { JsonObject, Notification, RequestId } from 'portcall/jsonrpc'
import type { Driver, RequestOptions } from './driver.ts'
import { subscriptionOf } from './envelope.ts'
import type { Outcome } from './requests.ts'

/** What changes to hear of. */
export type Filter = {
  toolsListChanged?: true
  promptsListChanged?: true
  resourcesListChanged?: true
  resourceSubscriptions?: string[]
}

/** News of changes, as long as it is open. */
export interface Changes {
  /** What has come so far; grows. */
  readonly received: Notification[]
  /** All messages of the subscription with the first and the last, where the era has such. */
  readonly frames: JsonObject[]
  /** The part of the filter that the server honours; `undefined` where nothing says so. */
  readonly acknowledged: JsonObject | undefined
  close(): Promise<void>
}

type Listeners = Set<(message: Notification) => void>

interface ListenTools {
  begin(method: string, params: JsonObject, options: RequestOptions): { id: RequestId; outcome: Promise<Outcome> }
  listeners: Listeners
}

/** The modern way: one request that stays open. */
export async function listen(filter: Filter, { begin, listeners }: ListenTools): Promise<Changes> {
  const hangUp = new AbortController()
  const received: Notification[] = []
  const frames: JsonObject[] = []
  const first = deferred<JsonObject | undefined>()
  const hear = (message: Notification): void => {
    if (subscriptionOf(message.params) !== id) return
    frames.push({ ...message })
    if (message.method === 'notifications/subscriptions/acknowledged') first.resolve(message.params)
    else received.push(message)
  }
  listeners.add(hear)
  const { id, outcome } = begin('subscriptions/listen', { notifications: filter }, { signal: hangUp.signal })
  outcome.then(
    ({ response }) => {
      frames.push({ ...response })
      first.resolve(undefined)
    },
    () => first.resolve(undefined),
  )
  const acknowledged = (await first.promise)?.notifications as JsonObject | undefined
  const close = async (): Promise<void> => {
    hangUp.abort(new Error('closed'))
    listeners.delete(hear)
  }
  return { received, frames, acknowledged, close }
}

const FLAGS: Record<string, string> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
}

/** The legacy way: a request for each URI; changed lists come unasked. */
export async function subscribe(
  filter: Filter,
  { driver, listeners }: { driver: Driver; listeners: Listeners },
): Promise<Changes> {
  const received: Notification[] = []
  const uris = filter.resourceSubscriptions ?? []
  const hear = (message: Notification): void => {
    const flag = FLAGS[message.method]
    if (flag ? flag in filter : message.method === 'notifications/resources/updated') received.push(message)
  }
  listeners.add(hear)
  for (const uri of uris) await driver.request('resources/subscribe', { uri })
  const close = async (): Promise<void> => {
    for (const uri of uris) await driver.request('resources/unsubscribe', { uri })
    listeners.delete(hear)
  }
  return { received, frames: [], acknowledged: undefined, close }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve }
}
