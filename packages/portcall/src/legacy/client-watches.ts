import { isSuccess, type JsonObject, type Response } from '../jsonrpc/message.ts'

/** The resources that a legacy server was asked to tell of: one `resources/subscribe` each, however many listen. */
export interface Watches {
  /**
   * Counts one more listener for each resource, and gives those that the server tells of: for these, `leave` has to be called.
   * Rejects, with nothing counted, when the server cannot be asked.
   */
  enter(uris: readonly string[]): Promise<string[]>
  leave(uri: string): void
}

interface Watch {
  users: number
  subscribed: boolean
  /** The last step; the next begins when it is done, so that the server hears them in order. */
  step: Promise<unknown>
}

export function createWatches(ask: (method: string, params: JsonObject) => Promise<Response>): Watches {
  const watches = new Map<string, Watch>()

  const settle = async (uri: string, watch: Watch): Promise<boolean> => {
    const wanted = watch.users > 0
    if (wanted && !watch.subscribed) watch.subscribed = isSuccess(await ask('resources/subscribe', { uri }))
    if (!wanted && watch.subscribed) {
      watch.subscribed = false
      await ask('resources/unsubscribe', { uri }).catch(() => {})
    }
    return watch.subscribed
  }
  const next = async (uri: string, watch: Watch): Promise<boolean> => {
    const step = watch.step.then(() => settle(uri, watch))
    watch.step = step.catch(() => {})
    try {
      return await step
    } finally {
      if (watch.users === 0 && !watch.subscribed && watches.get(uri) === watch) watches.delete(uri)
    }
  }
  const enterOne = async (uri: string): Promise<boolean> => {
    const watch = watches.get(uri) ?? { users: 0, subscribed: false, step: Promise.resolve() }
    watches.set(uri, watch)
    watch.users++
    const subscribed = await next(uri, watch).catch((error: unknown) => {
      leave(uri)
      throw error
    })
    if (!subscribed) leave(uri)
    return subscribed
  }
  const leave = (uri: string): void => {
    const watch = watches.get(uri)
    if (!watch) return
    watch.users--
    void next(uri, watch)
  }

  return {
    async enter(uris) {
      const entered = await Promise.allSettled(uris.map(enterOne))
      const granted = uris.filter((_, at) => (entered[at] as PromiseFulfilledResult<boolean>).value)
      const failed = entered.find(({ status }) => status === 'rejected')
      if (!failed) return granted
      for (const uri of granted) leave(uri)
      throw (failed as PromiseRejectedResult).reason
    },
    leave,
  }
}
