import { createKeyedMutex } from '../../../../util/src/async.ts'
import { sha256 } from '../../../../util/src/digest.ts'
import type { KeyValueStore } from '../../stores/store.ts'

/** A message, and the ids by which its repetitions are recognized. */
export interface SeenMessage {
  readonly subscriptionId: string
  /** Tells subscriptions with the same id apart; empty if there can only be one. */
  readonly scope: string
  readonly messageId: string
  readonly eventId?: string | undefined
}

/** Runs a task for each message once. */
export interface SeenMessages {
  /** Runs the task, unless it succeeded before for this message or its event. A task that fails runs again for the next repetition. */
  once(message: SeenMessage, task: () => Promise<void>): Promise<void>
}

/** Creates the memory of messages that arrived. Several processes with one store may run a task twice if a message reaches them at the same time. */
export function createSeenMessages(store: KeyValueStore, ttlMs: number): SeenMessages {
  const mutex = createKeyedMutex()
  return {
    async once({ subscriptionId, scope, messageId, eventId }, task) {
      const owner = (await sha256(scope === '' ? subscriptionId : `${subscriptionId} ${scope}`)).slice(0, 22)
      // The two kinds of ids are apart: one message may have the id of the event of another.
      const ids = [`m:${messageId}`, ...(eventId === undefined ? [] : [`e:${eventId}`])]
      const keys = await Promise.all(ids.map(async (id) => `seen/${owner}/${await sha256(id)}`))
      await mutex.run(keys.at(-1) ?? '', async () => {
        for (const key of keys) if ((await store.get(key)) !== undefined) return
        await task()
        for (const key of keys) await store.set(key, '1', { ttlMs })
      })
    },
  }
}
