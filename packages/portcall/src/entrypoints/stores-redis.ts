/** Stores in Redis or Valkey. @module */
export type { IoRedisClient, NodeRedisClient, RedisClient, RedisClientSettings } from '../stores/redis/client.ts'
export type { RedisLogOptions } from '../stores/redis/log.ts'
export { type RedisStoresOptions, redisStores } from '../stores/redis/redis.ts'
export type { RedisKeyValueStoreOptions } from '../stores/redis/store.ts'
