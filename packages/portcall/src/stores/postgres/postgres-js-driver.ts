import type { PostgresClient, PostgresDriver } from './driver.ts'
import { toRemoteError } from './error-codes.ts'

/**
 * Ends the connection that runs it if it reaches a server that cannot be written to, and returns nothing otherwise. The package cannot close a
 * single connection itself.
 */
const END_IF_READ_ONLY = "select pg_terminate_backend(pg_backend_pid()) where current_setting('transaction_read_only') = 'on'"
/** How many connections are ended after one failure. */
const MAX_ENDED = 10

/** Creates a driver for a client of the package `postgres`. */
export function createPostgresJsDriver(sql: PostgresClient): PostgresDriver {
  let ending: Promise<void> | undefined
  const endReadOnly = async (): Promise<void> => {
    for (let ended = 0; ended < MAX_ENDED; ended++) {
      const isWritable = await sql.unsafe(END_IF_READ_ONLY, [], { prepare: false }).then(
        (rows) => rows.length === 0,
        () => false,
      )
      if (isWritable) return
    }
  }

  return {
    async query({ text, values }) {
      try {
        const rows = await sql.unsafe(text, values, { prepare: values !== undefined })
        // The only column, whatever `transform` of the client calls it.
        return Object.values(rows[0] ?? {})[0]
      } catch (error) {
        const remoteError = toRemoteError(error)
        if (remoteError.outcome === 'stale') await (ending ??= endReadOnly().finally(() => (ending = undefined)))
        throw remoteError
      }
    },
    // The package cannot close a single connection. It closes when the network reports that it is broken.
    destroyBusyConnections() {},
    explainTimeout: () => undefined,
    async listen(channel, { onMessage }) {
      // The package caches the promise of a failed `listen`, and would reject with the same error forever.
      Reflect.deleteProperty(sql.listen.channels ?? {}, channel)
      let isOpen = true
      const { unlisten } = await sql.listen(channel, (payload) => void (isOpen && onMessage(payload)))
      const close = (): void => {
        isOpen = false
        unlisten().catch(() => {})
      }
      // The package has a connection of its own for this, and reconnects it.
      return { close, ping: async () => {} }
    },
    close() {},
  }
}
