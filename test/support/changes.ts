import type { JsonObject, Notification, RequestId } from 'portcall/jsonrpc'
import type { Driver, RequestOptions } from './driver.ts'
import { subscriptionOf } from './envelope.ts'
import type { Outcome } from './requests.ts'

/** The changes to subscribe to. */
export type Filter = {
  toolsListChanged?: true
  promptsListChanged?: true
  resourcesListChanged?: true
  resourceSubscriptions?: string[]
}

/** An open subscription to changes. */
export interface ChangeFeed {
  /** The notifications received so far. */
  readonly received: Notification[]
  /** All messages of the subscription, including the acknowledgement and the final result; empty in the legacy era. */
  readonly frames: JsonObject[]
  /** The part of the filter that the server acknowledged; `undefined` in the legacy era. */
  readonly acknowledged: JsonObject | undefined
  close(): Promise<void>
}

type Listeners = Set<(message: Notification) => void>

interface ListenTools {
  start(method: string, params: JsonObject, options: RequestOptions): { id: RequestId; outcome: Promise<Outcome> }
  listeners: Listeners
}

/** Subscribes in the modern era: one request that stays open. */
export async function listen(filter: Filter, { start, listeners }: ListenTools): Promise<ChangeFeed> {
  const controller = new AbortController()
  const received: Notification[] = []
  const frames: JsonObject[] = []
  const first = deferred<JsonObject | undefined>()
  const handleNotification = (message: Notification): void => {
    if (subscriptionOf(message.params) !== id) return
    frames.push({ ...message })
    if (message.method === 'notifications/subscriptions/acknowledged') first.resolve(message.params)
    else received.push(message)
  }
  listeners.add(handleNotification)
  const { id, outcome } = start('subscriptions/listen', { notifications: filter }, { signal: controller.signal })
  outcome.then(
    ({ response }) => {
      frames.push({ ...response })
      first.resolve(undefined)
    },
    () => first.resolve(undefined),
  )
  const acknowledged = (await first.promise)?.notifications as JsonObject | undefined
  const close = async (): Promise<void> => {
    controller.abort(new Error('closed'))
    listeners.delete(handleNotification)
  }
  return { received, frames, acknowledged, close }
}

const FLAGS: Record<string, string> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
}

/** Subscribes in the legacy era: one request for each URI. Notifications of changed lists need no subscription. */
export async function subscribe(
  filter: Filter,
  { driver, listeners }: { driver: Driver; listeners: Listeners },
): Promise<ChangeFeed> {
  const received: Notification[] = []
  const uris = filter.resourceSubscriptions ?? []
  const handleNotification = (message: Notification): void => {
    const flag = FLAGS[message.method]
    if (flag ? flag in filter : message.method === 'notifications/resources/updated') received.push(message)
  }
  listeners.add(handleNotification)
  for (const uri of uris) await driver.request('resources/subscribe', { uri })
  const close = async (): Promise<void> => {
    for (const uri of uris) await driver.request('resources/unsubscribe', { uri })
    listeners.delete(handleNotification)
  }
  return { received, frames: [], acknowledged: undefined, close }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve }
}
