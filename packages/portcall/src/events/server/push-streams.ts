import type { JsonObject } from '../../jsonrpc/message.ts'
import { identityOf } from '../../protocol/caller-identity.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { Call } from '../../server/call.ts'
import type { CreateEventError } from './errors.ts'
import type { EventLimits } from './limits.ts'
import { createPushStream, type PushStream, type PushStreamOptions } from './push-stream.ts'
import { readStart, type Selector } from './selection.ts'

export interface PushStreamsOptions extends Omit<PushStreamOptions, 'limits'> {
  readonly selector: Selector
  readonly limits: EventLimits
  readonly createError: CreateEventError
}

/** The open streams of this process. */
export interface PushStreams {
  /** Handles `events/stream`. Settles when the stream ends. */
  open(params: JsonObject, call: Call): Promise<JsonObject>
  /** Looks whether streams must end. */
  check(): void
  /** Ends all streams. */
  close(): void
}

export function createPushStreams(options: PushStreamsOptions): PushStreams {
  const { selector, reader, limits } = options
  const open = new Set<PushStream>()
  const turns = createTurns(options)
  let isClosed = false

  return {
    async open(params, call) {
      const start = readStart(params)
      const selection = await selector.select(params, call, 'push')
      const release = turns.take(identityOf(call.request, call))
      try {
        const opened = await reader.open(selection.type, start)
        const stream = createPushStream({ call, selection, opened }, { ...options, limits })
        open.add(stream)
        if (isClosed) stream.close()
        await stream.run().finally(() => open.delete(stream))
        return { _meta: { [MetaKey.subscriptionId]: call.requestId } }
      } finally {
        release()
      }
    },
    check() {
      for (const stream of open) stream.wake()
    },
    close() {
      isClosed = true
      for (const stream of open) stream.close()
    },
  }
}

/** Counts the streams of callers. */
function createTurns({ limits, createError }: Pick<PushStreamsOptions, 'limits' | 'createError'>): {
  /** Returns what gives the place back. @throws RpcError `ResourceExhausted` */
  take(owner: unknown): () => void
} {
  const counts = new Map<unknown, number>()
  let total = 0
  const countOf = (owner: unknown): number => (owner === undefined ? 0 : (counts.get(owner) ?? 0))
  const refuse = (limit: 'maxStreams' | 'maxPrincipalStreams') =>
    createError('ResourceExhausted', 'Too many open streams of events', { limit, max: limits[limit] })
  return {
    take(owner) {
      if (total >= limits.maxStreams) throw refuse('maxStreams')
      if (countOf(owner) >= limits.maxPrincipalStreams) throw refuse('maxPrincipalStreams')
      total++
      if (owner !== undefined) counts.set(owner, countOf(owner) + 1)
      return () => {
        total--
        if (countOf(owner) <= 1) counts.delete(owner)
        else counts.set(owner, countOf(owner) - 1)
      }
    },
  }
}
