import { describeClient } from '../check-stores-options.ts'
import type { PgPool, PostgresClient, PostgresSource } from './driver.ts'

const ADVICE = 'Pass new Pool({ connectionString })'

/** Reports whether the source is a client of the package `postgres`. */
export const isPostgresJs = (source: PostgresSource): source is PostgresClient => 'unsafe' in source

/** @throws TypeError if the source is not one, or its settings do not leave a connection for statements besides that of the bus. */
export function assertPostgresSource(source: PostgresSource): void {
  const { unsafe, connect, listen, totalCount } = (source ?? {}) as {
    readonly [member in 'unsafe' | 'connect' | 'listen' | 'totalCount']?: unknown
  }
  if (typeof unsafe === 'function') {
    if (typeof listen !== 'function')
      throw new TypeError(
        'postgresStores() cannot use a transaction or a reserved connection of the package postgres: pass the client itself',
      )
    return
  }
  if (typeof connect !== 'function')
    throw new TypeError(
      `postgresStores() needs a Pool of pg or a client of the package postgres, not ${describeClient(source)}. ${ADVICE}`,
    )
  if (typeof totalCount !== 'number') throw new TypeError(`postgresStores() needs a Pool of pg, not a Client. ${ADVICE}`)
  const max = maxConnections(source as PgPool)
  if (max < 2)
    throw new TypeError(
      `The pool is limited to ${max} connection (max: ${max}), and the bus needs one of its own for LISTEN: set max to 2 or more`,
    )
}

/** Returns the maximum number of connections of a pool, as far as it is known. */
export function maxConnections({ options }: PgPool): number {
  const max = Number(options?.max)
  return Number.isFinite(max) ? max : Infinity
}
