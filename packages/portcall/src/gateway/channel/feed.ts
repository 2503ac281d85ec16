import { backoffMs } from '../../../../util/src/backoff.ts'
import { canonicalJson } from '../../../../util/src/canonical-json.ts'
import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { interruptibleDelay, MAX_TIMER_MS } from '../../../../util/src/timers.ts'
import { connect } from '../../connect/connect.ts'
import { events } from '../../events/client/extension.ts'
import type { ClientEvents } from '../../events/client/types.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { channelEvent, channelGap } from './message.ts'
import { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts'
import type { ChannelSubscription } from './types.ts'

export interface ChannelFeedOptions extends OutboxOptions {
  /** Answers requests of the newest revision. */
  readonly exchange: Exchange
  readonly subscriptions: readonly ChannelSubscription[]
  /** Called with what goes wrong. The feed goes on. */
  readonly onError: (error: unknown) => void
}

/** One event type, with arguments. */
interface Selection {
  readonly name: string
  readonly args: JsonObject
}

const RETRY_DELAY = { firstMs: 500, maxMs: 60_000 }
/** Several changes are one, and subscriptions that end at once are not made all the time. */
const MIN_DELAY_MS = 250

/**
 * Subscribes to events, and sends them to the host, until the signal is aborted. Event types that come later are subscribed to when they come, and
 * those that end or fail are tried again.
 */
export async function runChannelFeed({ exchange, ...options }: ChannelFeedOptions): Promise<void> {
  const client = await connect({ exchange }, { extensions: [events()] })
  const feed = createFeed(client.events, createOutbox(options), options)
  const stop = client.events.onListChanged(feed.update)
  try {
    await feed.run()
  } finally {
    stop()
    await client.close()
  }
}

interface Feed {
  /** Looks for event types again soon. */
  update(): void
  /** Resolves when the signal is aborted. */
  run(): Promise<void>
}

function createFeed(source: ClientEvents, outbox: Outbox, options: Omit<ChannelFeedOptions, 'exchange'>): Feed {
  const { subscriptions, onError, signal } = options
  const open = new Set<string>()
  let waiting = new AbortController()
  const update = (): void => waiting.abort()

  const subscribe = async ({ name, args }: Selection): Promise<void> => {
    const key = canonicalJson([name, args])
    if (open.has(key)) return
    open.add(key)
    const forget = (): void => {
      open.delete(key)
      update()
    }
    try {
      const { ended } = await source.on(name, args, (event) => outbox.send((seq) => channelEvent(event, seq)), {
        signal,
        onGap: () => outbox.send((seq) => channelGap(name, seq)),
        onError: (error) => void (signal.aborted || onError(error)),
      })
      ended.catch(onError).finally(forget)
    } catch (error) {
      open.delete(key)
      throw error
    }
  }
  /** Subscribes to what matches, as far as that has not been done. */
  const subscribeAll = async (): Promise<unknown[]> => {
    const names = (await source.list({ signal }).toArray()).map(({ name }) => name)
    const selected = subscriptions.map(async ({ event, arguments: args = {} }) => {
      const matching = names.filter(createNameMatcher([event]))
      if (matching.length === 0) throw new Error(`There is no event type ${event} at present`)
      for (const name of matching) await subscribe({ name, args })
    })
    const outcomes = await Promise.allSettled(selected)
    return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  }
  return {
    update,
    async run() {
      let reported = ''
      for (let failures = 0; !signal.aborted; ) {
        waiting = new AbortController()
        const errors = await subscribeAll().catch((error: unknown) => [error])
        failures = errors.length === 0 ? 0 : failures + 1
        const texts = errors.join('\n')
        if (texts !== reported && !signal.aborted) for (const error of errors) onError(error)
        reported = texts
        const waitMs = failures === 0 ? MAX_TIMER_MS : backoffMs(failures - 1, RETRY_DELAY)
        await interruptibleDelay(waitMs, AbortSignal.any([waiting.signal, signal]))
        await interruptibleDelay(MIN_DELAY_MS, signal)
      }
    },
  }
}
