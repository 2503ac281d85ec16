import { unref, withTimeout } from '../../../../util/src/timers.ts'
import type { BusOptions } from '../bus.ts'
import { createBatcher } from '../remote/batcher.ts'
import { createRemoteBus, type RemoteBus } from '../remote/bus.ts'
import { createPersistentConnection } from '../remote/persistent-connection.ts'
import { RemoteError } from '../remote/remote-error.ts'
import { createSubscribers } from '../subscribers.ts'
import type { PostgresDriver, PostgresListener } from './driver.ts'
import { POOLER } from './error-codes.ts'
import type { PostgresExecutor } from './executor.ts'
import { createNotifyCodec } from './notify-codec.ts'

export interface PostgresBusParts {
  readonly driver: PostgresDriver
  readonly executor: PostgresExecutor
  readonly schema: string
  readonly timeoutMs: number
}

const HEARTBEAT_INTERVAL_MS = 5000
/** The part of the timeout in which a message must arrive when the connection is opened. */
const ARRIVAL_FRACTION = 0.5
const NOT_ARRIVING = `messages do not arrive on the connection that listens; probably ${POOLER}`

/** Creates a bus on the notifications of PostgreSQL: one channel, named like the schema, carries all topics. */
export function createPostgresBus(parts: PostgresBusParts, options: BusOptions = {}): RemoteBus {
  const { driver, executor, schema, timeoutMs } = parts
  const subscribers = createSubscribers(options)
  let hasReceivedHeartbeat = true
  let onHeartbeat = (): void => {}
  let heartbeatTimer: ReturnType<typeof setInterval> | undefined

  const codec = createNotifyCodec({
    fetch: (id) => executor.call('message', id, true),
    onMessage: subscribers.deliver,
    onHeartbeat() {
      hasReceivedHeartbeat = true
      onHeartbeat()
    },
  })
  const outgoing = createBatcher<string, unknown>({
    concurrency: 1,
    async send(batch) {
      await executor.call('publish', batch)
      return batch
    },
  })
  const sendHeartbeat = (): Promise<unknown> => outgoing.add(codec.encodeHeartbeat(), 0)
  /** Makes sure that what is published arrives. @throws RemoteError if it does not. */
  const receiveHeartbeat = async (): Promise<void> => {
    const received = new Promise<void>((resolve) => void (onHeartbeat = resolve))
    await sendHeartbeat()
    await withTimeout(received, timeoutMs * ARRIVAL_FRACTION, () => new RemoteError('rejected', new Error(NOT_ARRIVING)))
  }
  const connection = createPersistentConnection<PostgresListener>({
    async open(onLost) {
      const listener = await driver.listen(schema, { onLost, onMessage: codec.receive })
      await receiveHeartbeat().catch((error: unknown) => {
        listener.close()
        throw error
      })
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
    // The first keeps the connection from being idle, the second shows that messages arrive.
    connection.current?.ping().catch(() => connection.drop())
    sendHeartbeat().catch(() => void (hasReceivedHeartbeat = true))
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
