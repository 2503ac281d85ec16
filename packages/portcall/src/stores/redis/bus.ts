import type { BusOptions } from '../bus.ts'
import { createBatcher } from '../remote/batcher.ts'
import { createRemoteBus, type RemoteBus } from '../remote/bus.ts'
import { createPersistentConnection } from '../remote/persistent-connection.ts'
import { throwUnknownOutcome } from '../remote/remote-error.ts'
import { createSubscribers } from '../subscribers.ts'
import type { RedisClient } from './client.ts'
import { explainConnectTimeout, isCluster } from './client-options.ts'
import { openConnection, type RedisConnection } from './driver.ts'
import type { RedisCommand, RedisExecutor } from './executor.ts'
import { PUBLISH } from './scripts.ts'

export interface RedisBusParts {
  readonly client: RedisClient
  readonly executor: RedisExecutor
  readonly prefix: string
  readonly timeoutMs: number
}

/** Creates a bus on the pub/sub channels of Redis, one channel per topic. */
export function createRedisBus({ client, executor, prefix, timeoutMs }: RedisBusParts, options: BusOptions = {}): RemoteBus {
  const channelPrefix = `${prefix}b:`
  const subscribers = createSubscribers(options)
  /** The topics that the open connection is subscribed to. */
  const subscribedTopics = new Set<string>()

  const subscribe = async (connection: RedisConnection, topics: readonly string[]): Promise<void> => {
    const missing = topics.filter((topic) => !subscribedTopics.has(topic))
    if (missing.length === 0) return
    await connection.subscribe(missing.map((topic) => channelPrefix + topic)).catch(throwUnknownOutcome)
    for (const topic of missing) subscribedTopics.add(topic)
  }
  const connection = createPersistentConnection<RedisConnection>({
    async open(onLost, signal) {
      const onMessage = (channel: string, message: string): void =>
        subscribers.deliver(channel.slice(channelPrefix.length), message)
      const opened = await openConnection(client, { onLost, onMessage }, { timeoutMs, signal })
      subscribedTopics.clear()
      await subscribe(opened, subscribers.topics())
      return opened
    },
    close: (opened) => opened.close(),
    timeoutMs,
    explainTimeout: () => explainConnectTimeout(client),
    onDisconnected: () => subscribedTopics.clear(),
    isNeeded: () => subscribers.topics().length > 0,
  })
  const publishCommand = (...args: [channel: string, message: string]): RedisCommand =>
    isCluster(client) ? { script: PUBLISH, keys: [channelPrefix], args } : ['PUBLISH', ...args]

  return createRemoteBus({
    subscribers,
    connection,
    outgoing: createBatcher<RedisCommand, unknown>({ concurrency: 1, send: (batch) => executor.send(batch) }),
    encode: (topic, message) => publishCommand(channelPrefix + topic, message),
    run: executor.run,
    subscribe: (opened, topic) => subscribe(opened, [topic]),
    unsubscribe(topic) {
      if (!subscribedTopics.delete(topic)) return
      connection.current?.unsubscribe([channelPrefix + topic]).catch(() => connection.drop())
    },
  })
}
