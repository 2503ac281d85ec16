import type { Bus } from '../bus.ts'
import { createLane } from '../remote/lane.ts'
import { createPauses, rest } from '../remote/pauses.ts'
import { createSlot } from '../remote/slot.ts'
import { createTopics } from '../topics.ts'
import { openConnection, type RedisClient, type RedisConnection } from './client.ts'
import type { RedisLink } from './link.ts'

/** The bounds of a bus over Redis. */
export interface RedisBusOptions {
  /** Subscriptions of this process; more are refused. Default: 100,000. */
  maxSubscriptions?: number
  /** Is told what subscribers throw. Default: nobody is. */
  onError?: (error: unknown) => void
}

export interface RedisBusPlace {
  readonly client: RedisClient
  readonly link: RedisLink
  readonly prefix: string
  readonly timeoutMs: number
}

/** A bus with a connection of its own. */
export interface RedisBus extends Bus {
  /** Opens the connection again: it may be dead. */
  renew(): void
  idle(): Promise<void>
  close(): void
}

const FIRST_PAUSE_MS = 100

export function createRedisBus({ client, link, prefix, timeoutMs }: RedisBusPlace, options: RedisBusOptions = {}): RedisBus {
  const { maxSubscriptions = 100_000, onError } = options
  const channels = `${prefix}b:`
  const ended = new AbortController()
  const topics = createTopics({ maxSubscriptions, onError })
  /** What the open connection is subscribed to. */
  const heard = new Set<string>()
  let returning: Promise<void> | undefined

  const listen = async (connection: RedisConnection, names: readonly string[]): Promise<void> => {
    const wanted = names.filter((name) => !heard.has(name))
    if (wanted.length === 0) return
    await connection.subscribe(wanted.map((name) => channels + name))
    for (const name of wanted) heard.add(name)
  }
  const slot = createSlot<RedisConnection>({
    async open(onLost) {
      const onMessage = (channel: string, message: string): void => topics.deliver(channel.slice(channels.length), message)
      const connection = await openConnection(client, { onLost, onMessage })
      heard.clear()
      await listen(connection, topics.names())
      return connection
    },
    end: (connection) => connection.end(),
    timeoutMs,
    onGone() {
      heard.clear()
      returning ??= comeBack().finally(() => (returning = undefined))
    },
  })
  const comeBack = async (): Promise<void> => {
    const pauses = createPauses(FIRST_PAUSE_MS)
    while (!ended.signal.aborted && !slot.open && topics.names().length > 0) {
      await rest(pauses(), ended.signal)
      if (!ended.signal.aborted) await slot.get().catch(() => {})
    }
  }
  const forget = (topic: string): void => {
    if (!heard.delete(topic)) return
    slot.open?.unsubscribe([channels + topic]).catch(() => slot.drop())
  }
  const messages = createLane<readonly string[], unknown>({ flights: 1, send: (batch) => link.send([...batch]) })

  return {
    publish: async (topic, message) => void (await messages.add(['PUBLISH', channels + topic, message], 2 * message.length)),
    async subscribe(topic, onMessage) {
      const remove = topics.add(topic, onMessage)
      const end = (): void => void (remove() && forget(topic))
      try {
        await link.guarded(async () => listen(await slot.get(), [topic]))
        return end
      } catch (error) {
        end()
        throw error
      }
    },
    renew: () => slot.drop(),
    idle: () => messages.idle(),
    close() {
      ended.abort()
      topics.clear()
      slot.drop()
    },
  }
}
