import type { PostgresClient, PostgresDriver } from './driver.ts'
import { toRemoteError } from './error-codes.ts'

/**
 * Creates a driver for a client of the package `postgres`. The package cannot close a single connection: one that reaches a server that was demoted
 * is replaced after the `max_lifetime` of the client.
 */
export function createPostgresJsDriver(sql: PostgresClient): PostgresDriver {
  return {
    async query({ text, values }) {
      try {
        const rows = await sql.unsafe(text, values, { prepare: values !== undefined })
        // The only column, whatever `transform` of the client calls it.
        return Object.values(rows[0] ?? {})[0]
      } catch (error) {
        throw toRemoteError(error)
      }
    },
    // They close when the network reports that they are broken.
    destroyBusyConnections() {},
    explainTimeout: () => undefined,
    async listen(channel, { onMessage }) {
      // The package keeps the promise of a failed `listen`: it would reject with the same error forever, and try again in the background.
      const forget = (): unknown => Reflect.deleteProperty(sql.listen.channels ?? {}, channel)
      forget()
      let isOpen = true
      const { unlisten } = await sql
        .listen(channel, (payload) => void (isOpen && onMessage(payload)))
        .catch((error: unknown) => {
          forget()
          throw toRemoteError(error)
        })
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
