import { createRemoteBus, type RemoteBus } from '../remote/bus.ts'
import { failUnknown } from '../remote/failure.ts'
import { createLane } from '../remote/lane.ts'
import { createStanding } from '../remote/standing.ts'
import { createTopics } from '../topics.ts'
import { isCluster, openConnection, type RedisClient, type RedisConnection } from './client.ts'
import type { Command, RedisLink } from './link.ts'
import { PUBLISH } from './scripts.ts'

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

export function createRedisBus({ client, link, prefix, timeoutMs }: RedisBusPlace, options: RedisBusOptions = {}): RemoteBus {
  const { maxSubscriptions = 100_000, onError } = options
  const channels = `${prefix}b:`
  const topics = createTopics({ maxSubscriptions, onError })
  /** What the open connection is subscribed to. */
  const heard = new Set<string>()

  const listen = async (connection: RedisConnection, names: readonly string[]): Promise<void> => {
    const wanted = names.filter((name) => !heard.has(name))
    if (wanted.length === 0) return
    await connection.subscribe(wanted.map((name) => channels + name)).catch(failUnknown)
    for (const name of wanted) heard.add(name)
  }
  const standing = createStanding<RedisConnection>({
    async open(onLost) {
      const onMessage = (channel: string, message: string): void => topics.deliver(channel.slice(channels.length), message)
      const connection = await openConnection(client, { onLost, onMessage })
      heard.clear()
      await listen(connection, topics.names())
      return connection
    },
    end: (connection) => connection.end(),
    timeoutMs,
    onGone: () => heard.clear(),
    isWanted: () => topics.names().length > 0,
  })
  const forget = (topic: string): void => {
    if (!heard.delete(topic)) return
    standing.open?.unsubscribe([channels + topic]).catch(() => standing.drop())
  }
  const outgoing = createLane<Command, unknown>({ flights: 1, send: (batch) => link.send(batch) })
  const saying = (...args: [channel: string, message: string]): Command =>
    isCluster(client) ? { script: PUBLISH, keys: [channels], args } : ['PUBLISH', ...args]

  return createRemoteBus({
    topics,
    standing,
    outgoing,
    write: (topic, message) => saying(channels + topic, message),
    guarded: link.guarded,
    hear: (connection, topic) => listen(connection, [topic]),
    forget,
  })
}
