import { unref } from '../../jsonrpc/waiting.ts'
import { createRemoteBus, type RemoteBus } from '../remote/bus.ts'
import { createLane } from '../remote/lane.ts'
import { createStanding } from '../remote/standing.ts'
import { createTopics } from '../topics.ts'
import type { Listening, PostgresDriver } from './client.ts'
import type { PostgresLink } from './link.ts'
import { createMessages } from './messages.ts'

/** The bounds of a bus over PostgreSQL. */
export interface PostgresBusOptions {
  /** Subscriptions of this process; more are refused. Default: 100,000. */
  maxSubscriptions?: number
  /** Is told what subscribers throw. Default: nobody is. */
  onError?: (error: unknown) => void
}

export interface BusPlace {
  readonly driver: PostgresDriver
  readonly link: PostgresLink
  readonly schema: string
  readonly timeoutMs: number
}

const CHECK_MS = 5000

/** Makes a bus over PostgreSQL: one channel, named like the schema, carries all topics. */
export function createPostgresBus({ driver, link, schema, timeoutMs }: BusPlace, options: PostgresBusOptions = {}): RemoteBus {
  const { maxSubscriptions = 100_000, onError } = options
  const topics = createTopics({ maxSubscriptions, onError })
  let hears = true
  let check: ReturnType<typeof setInterval> | undefined

  const messages = createMessages({
    fetch: (number) => link.ask('message', number, true),
    onMessage: topics.deliver,
    onSign: () => void (hears = true),
  })
  const outgoing = createLane<string, unknown>({
    flights: 1,
    async send(batch) {
      await link.ask('publish', batch)
      return batch
    },
  })
  const standing = createStanding<Listening>({
    async open(onLost) {
      const listening = await driver.listen(schema, { onLost, onMessage: messages.read })
      hears = true
      check ??= unref(setInterval(examine, CHECK_MS))
      return listening
    },
    end: (listening) => listening.end(),
    timeoutMs,
    onGone() {
      clearInterval(check)
      check = undefined
    },
    isWanted: () => topics.names().length > 0,
  })
  /** A connection that only listens may be dead for long before anybody is told. */
  const examine = (): void => {
    if (!hears) return standing.drop()
    hears = false
    outgoing.add(messages.sign(), 0).catch(() => void (hears = true))
  }

  return createRemoteBus({
    topics,
    standing,
    outgoing,
    write: messages.write,
    guarded: link.guarded,
    // One channel carries all topics: who is connected hears.
    hear: async () => {},
    forget() {
      if (topics.names().length === 0) standing.drop()
    },
  })
}
