import { readFileSync } from 'node:fs'

const lazyConnect = true
const addressOf = (host) => ({ host: host.split(':')[0], port: Number(host.split(':')[1]) })

/** The options of a client of `ioredis`, by the protocol of the URL. */
const OPTIONS = {
  'redis:': ({ host }) => addressOf(host),
  'rediss:': ({ host, searchParams }) => ({ ...addressOf(host), tls: { ca: readFileSync(searchParams.get('ca')) } }),
  'redis-sentinel:': ({ host, pathname }) => ({ sentinels: [addressOf(host)], name: pathname.slice(1) }),
}

/**
 * Returns the options or, for a cluster, the client for the connections of BullMQ to a server of `startDatabases`.
 *
 * @param {typeof import('ioredis').Cluster} Cluster
 * @param {string} location
 */
export function redisConnection(Cluster, location) {
  const url = new URL(location)
  return OPTIONS[url.protocol]?.(url) ?? new Cluster(url.searchParams.getAll('node').map(addressOf), { lazyConnect })
}

/**
 * Creates a client of `ioredis` for a server of `startDatabases`, from its URL: `redis:`, `rediss:` with the query parameter `ca` (a file),
 * `redis-cluster:` with a parameter `node` for each node, or `redis-sentinel:` with the name of the primary as its path.
 *
 * @param {{ Redis: typeof import('ioredis').Redis, Cluster: typeof import('ioredis').Cluster }} ioredis
 * @param {string} location
 */
export function createRedisClient({ Redis, Cluster }, location) {
  const connection = redisConnection(Cluster, location)
  return connection instanceof Cluster ? connection : new Redis({ ...connection, lazyConnect })
}
