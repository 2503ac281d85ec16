import type { ClusterSession } from './cluster-session.ts'
import type { ClusterNode } from './node.ts'
import type { SessionCache } from './session-cache.ts'

/** Elects the notifier of a session: the one node that sends change notifications, on its newest standalone stream. */
export interface NotifierElection {
  /**
   * Makes this node the notifier and stops the previous one. If that one has failed, reports everything that may have changed meanwhile.
   * Calls `onListening` when this node reports changes.
   */
  claim(session: ClusterSession, onListening?: () => void): Promise<void>
  /** Lets another node become the notifier if this node is it and has no reader of a standalone stream. */
  offer(session: ClusterSession): void
  /** Claims or offers, depending on whether this node has a reader. Call it after a standalone stream was opened, or could not be opened. */
  settle(session: ClusterSession): Promise<void>
  /** Makes this node the notifier if it has a reader and the current notifier has none. Otherwise leaves the notifications to that one. */
  check(session: ClusterSession): Promise<void>
  /** Stops sending notifications, unless this node is the notifier by now. */
  stepDown(session: ClusterSession): Promise<void>
}

export function createNotifierElection({ lease, rpc }: ClusterNode, cache: SessionCache): NotifierElection {
  const isNotifier = ({ stored: { record } }: ClusterSession): boolean =>
    record.notifier !== undefined && lease.isOwn(record.notifier)
  const claim = async (session: ClusterSession, onListening?: () => void): Promise<void> => {
    const { legacy } = session
    let previous: string | undefined
    await cache.update(session, (record) => {
      previous = record.notifier
      Object.assign(record, { notifier: lease.owner, lastUsedAt: Date.now(), isBusy: true })
    })
    await legacy.listen()
    onListening?.()
    if (previous === undefined || lease.isOwn(previous)) return
    const response = await rpc.request(previous, 'stepDown', { session: session.id })
    if (!response) await legacy.notifyMissed()
  }
  const offer = (session: ClusterSession): void => {
    if (isNotifier(session) && !session.streams.hasListener)
      rpc.broadcast('notifierOffered', { session: session.id }).catch(() => {})
  }

  return {
    claim,
    offer,
    async settle(session) {
      if (!session.streams.hasListener) offer(session)
      else if (!isNotifier(session)) await claim(session).catch(() => {})
    },
    async check(session) {
      const { notifier } = session.stored.record
      if (!session.streams.hasListener || isNotifier(session)) return
      const response = notifier === undefined ? undefined : await rpc.request(notifier, 'hasListener', { session: session.id })
      if (!response?.hasListener) await claim(session)
      else session.legacy.stopListening()
    },
    async stepDown(session) {
      const isRefreshed = await cache.refresh(session).then(
        () => true,
        () => false,
      )
      if (!isRefreshed || !isNotifier(session)) session.legacy.stopListening()
    },
  }
}
