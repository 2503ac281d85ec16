import type { RedisConnection } from './driver.ts'

/**
 * Resolves to a warning if Redis deletes entries when its memory is full: sessions, tasks and keys would disappear. Resolves to `undefined` if
 * it does not, or does not tell.
 */
export async function findEvictionRisk(connection: RedisConnection): Promise<string | undefined> {
  const [info] = await connection.send([['INFO', 'memory']]).catch(() => [])
  if (typeof info !== 'string') return undefined
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1]
  const maxMemory = Number(/^maxmemory:(\d+)/m.exec(info)?.[1])
  if (!maxMemory || policy === undefined || policy === 'noeviction') return undefined
  return `Redis deletes entries when its memory is full (maxmemory-policy ${policy}): sessions, tasks and sealing keys may disappear. Set maxmemory-policy noeviction`
}
