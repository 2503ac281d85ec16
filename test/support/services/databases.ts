import { afterAll } from 'vitest'
import { DEPLOYMENTS } from './deployments.mjs'

/** A database server of a test file. */
export interface Database {
  readonly url: string
  readonly port: number
  start(): Promise<void>
  kill(): Promise<void>
  restart(): Promise<void>
  pause(): void
  resume(): void
  stop(): Promise<unknown>
}

/** The database servers of a test file; `undefined` where one is not installed. */
export interface Databases {
  readonly redis: Database | undefined
  readonly postgres: Database | undefined
}

/**
 * Starts Redis and PostgreSQL. They stop after the tests of the file, and after what its own `afterAll` does. The environment variable
 * `PORTCALL_DATABASES` names another deployment, such as `redis-sentinel`: see `deployments.mjs`.
 */
export async function startDatabases(postgresOptions?: { args?: string[] }): Promise<Databases> {
  const name = process.env.PORTCALL_DATABASES ?? 'direct'
  const deployment = DEPLOYMENTS[name]
  if (!deployment) throw new Error(`PORTCALL_DATABASES is one of ${Object.keys(DEPLOYMENTS).join(', ')}, not ${name}`)
  const redis = await deployment.redis?.()
  const postgres = await deployment.postgres?.(postgresOptions)
  afterAll(async () => {
    await redis?.stop()
    await postgres?.stop()
  })
  return { redis, postgres }
}
