import { Redis } from 'ioredis'
import pg from 'pg'

/** Runs statements on PostgreSQL, one after another, on a connection of its own. */
export async function administerPostgres(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Sends a command to Redis on a connection of its own. */
export async function commandRedis(url: string, ...[name, ...args]: readonly [string, ...string[]]): Promise<unknown> {
  const client = new Redis(url)
  return client.call(name, ...args).finally(() => client.disconnect())
}
