import { afterAll } from 'vitest'
import { startPostgres } from './postgres.mjs'
import { startRedis } from './redis.mjs'

/** The database servers of a test file; `undefined` where one is not installed. */
export interface Databases {
  readonly redis: Awaited<ReturnType<typeof startRedis>>
  readonly postgres: Awaited<ReturnType<typeof startPostgres>>
}

/** Starts Redis and PostgreSQL. They stop after the tests of the file, and after what its own `afterAll` does. */
export async function startDatabases(postgresOptions?: Parameters<typeof startPostgres>[0]): Promise<Databases> {
  const redis = await startRedis()
  const postgres = await startPostgres(postgresOptions)
  afterAll(async () => {
    await redis?.stop()
    await postgres?.stop()
  })
  return { redis, postgres }
}
