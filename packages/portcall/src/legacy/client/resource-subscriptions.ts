import { createKeyedMutex } from '../../../../util/src/async.ts'
import { isSuccess, type JsonObject, type Response } from '../../jsonrpc/message.ts'

/** The resource subscriptions on a legacy server: one `resources/subscribe` for each resource, shared by all its listeners. */
export interface ResourceSubscriptions {
  /**
   * Adds a listener to each resource. Returns the resources that the server accepted; call `remove` for each of them. Rejects without
   * adding a listener if a request fails.
   */
  add(uris: readonly string[]): Promise<string[]>
  remove(uri: string): void
}

interface ResourceSubscription {
  listeners: number
  isSubscribed: boolean
}

export function createResourceSubscriptions(
  request: (method: string, params: JsonObject) => Promise<Response>,
): ResourceSubscriptions {
  const subscriptions = new Map<string, ResourceSubscription>()
  const mutex = createKeyedMutex()

  /** Subscribes or unsubscribes according to the number of listeners. Returns whether the resource is subscribed. */
  const update = async (uri: string, subscription: ResourceSubscription): Promise<boolean> => {
    // Listeners that are added and removed in the same tick cause no requests.
    await Promise.resolve()
    const isWanted = subscription.listeners > 0
    if (isWanted && !subscription.isSubscribed)
      subscription.isSubscribed = isSuccess(await request('resources/subscribe', { uri }))
    if (!isWanted && subscription.isSubscribed) {
      subscription.isSubscribed = false
      await request('resources/unsubscribe', { uri }).catch(() => {})
    }
    return subscription.isSubscribed
  }
  /** Runs the updates of a resource one after another, so that the server receives them in order. */
  const scheduleUpdate = async (uri: string, subscription: ResourceSubscription): Promise<boolean> => {
    try {
      return await mutex.run(uri, () => update(uri, subscription))
    } finally {
      const isUnused = subscription.listeners === 0 && !subscription.isSubscribed
      if (isUnused && subscriptions.get(uri) === subscription) subscriptions.delete(uri)
    }
  }
  const addListener = async (uri: string): Promise<boolean> => {
    const subscription = subscriptions.get(uri) ?? { listeners: 0, isSubscribed: false }
    subscriptions.set(uri, subscription)
    subscription.listeners++
    const isSubscribed = await scheduleUpdate(uri, subscription).catch((error: unknown) => {
      remove(uri)
      throw error
    })
    if (!isSubscribed) remove(uri)
    return isSubscribed
  }
  const remove = (uri: string): void => {
    const subscription = subscriptions.get(uri)
    if (!subscription) return
    subscription.listeners--
    scheduleUpdate(uri, subscription).catch(() => {})
  }

  return {
    async add(uris) {
      const outcomes = await Promise.allSettled(uris.map(addListener))
      const accepted = uris.filter((_, index) => (outcomes[index] as PromiseFulfilledResult<boolean>).value)
      const failed = outcomes.find(({ status }) => status === 'rejected')
      if (!failed) return accepted
      for (const uri of accepted) remove(uri)
      throw (failed as PromiseRejectedResult).reason
    },
    remove,
  }
}
