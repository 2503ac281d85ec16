import { createTurns } from '../../../../util/src/turns.ts'
import type { RpcError } from '../../jsonrpc/errors.ts'
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
  const { selector, reader, limits, createError } = options
  const open = new Set<PushStream>()
  const turns = createTurns({ limit: limits.maxStreams, maxOwned: limits.maxPrincipalStreams })
  let isClosed = false

  const tooMany = (): RpcError => {
    const limit = turns.isFull ? 'maxStreams' : 'maxPrincipalStreams'
    return createError('ResourceExhausted', 'Too many open streams of events', { limit, max: limits[limit] })
  }
  return {
    async open(params, call) {
      const start = readStart(params)
      const selection = await selector.select(params, call, 'push')
      const owner = identityOf(call.request, call)
      if (turns.begin({}, owner) !== true) throw tooMany()
      try {
        const opened = await reader.open(selection.type, start)
        const stream = createPushStream({ call, selection, opened }, { ...options, limits })
        open.add(stream)
        if (isClosed) stream.close()
        await stream.run().finally(() => open.delete(stream))
        return { _meta: { [MetaKey.subscriptionId]: call.requestId } }
      } finally {
        turns.end(owner)
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
