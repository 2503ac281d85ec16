import { unref } from '../../util/timers.ts'
import type { BusOptions } from '../bus.ts'
import { createBatcher } from '../remote/batcher.ts'
import { createRemoteBus, type RemoteBus } from '../remote/bus.ts'
import { createPersistentConnection } from '../remote/persistent-connection.ts'
import { createSubscribers } from '../subscribers.ts'
import type { PostgresDriver, PostgresListener } from './driver.ts'
import type { PostgresExecutor } from './executor.ts'
import { createNotifyCodec } from './notify-codec.ts'

export interface PostgresBusParts {
  readonly driver: PostgresDriver
  readonly executor: PostgresExecutor
  readonly schema: string
  readonly timeoutMs: number
}

const HEARTBEAT_INTERVAL_MS = 5000

/** Creates a bus on the notifications of PostgreSQL: one channel, named like the schema, carries all topics. */
export function createPostgresBus(parts: PostgresBusParts, options: BusOptions = {}): RemoteBus {
  const { driver, executor, schema, timeoutMs } = parts
  const subscribers = createSubscribers(options)
  let hasReceivedHeartbeat = true
  let heartbeatTimer: ReturnType<typeof setInterval> | undefined

  const codec = createNotifyCodec({
    fetch: (id) => executor.call('message', id, true),
    onMessage: subscribers.deliver,
    onHeartbeat: () => void (hasReceivedHeartbeat = true),
  })
  const outgoing = createBatcher<string, unknown>({
    concurrency: 1,
    async send(batch) {
      await executor.call('publish', batch)
      return batch
    },
  })
  const connection = createPersistentConnection<PostgresListener>({
    async open(onLost) {
      const listener = await driver.listen(schema, { onLost, onMessage: codec.receive })
      hasReceivedHeartbeat = true
      heartbeatTimer ??= unref(setInterval(checkHeartbeat, HEARTBEAT_INTERVAL_MS))
      return listener
    },
    close: (listener) => listener.close(),
    timeoutMs,
    onDisconnected() {
      clearInterval(heartbeatTimer)
      heartbeatTimer = undefined
    },
    isNeeded: () => subscribers.topics().length > 0,
  })
  /** Reconnects if the last heartbeat was not received: a broken connection that only listens may go unnoticed for a long time. */
  const checkHeartbeat = (): void => {
    if (!hasReceivedHeartbeat) return connection.drop()
    hasReceivedHeartbeat = false
    outgoing.add(codec.encodeHeartbeat(), 0).catch(() => void (hasReceivedHeartbeat = true))
  }

  return createRemoteBus({
    subscribers,
    connection,
    outgoing,
    encode: codec.encode,
    run: executor.run,
    // The connection receives all topics.
    subscribe: async () => {},
    unsubscribe() {
      if (subscribers.topics().length === 0) connection.drop()
    },
  })
}
