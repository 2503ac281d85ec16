/** State in Redis or Valkey. */
export type { RedisBusOptions } from './stores/redis/bus.ts'
export type { IoRedisClient, NodeRedisClient, RedisClient } from './stores/redis/client.ts'
export type { RedisLogOptions } from './stores/redis/log.ts'
export { type RedisOptions, redis } from './stores/redis/redis.ts'
export type { RedisStoreOptions } from './stores/redis/store.ts'
