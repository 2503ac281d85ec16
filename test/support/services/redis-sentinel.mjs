import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.mjs'
import { findProgram } from './programs.mjs'
import { answers, startRedis, untilReplicating, untilSays } from './redis.mjs'
import { createHome, runService } from './service.mjs'

const NAME = 'primary'

/** Starts one Sentinel, which replaces the primary when it does not answer for a second. */
async function startSentinel(primaryPort) {
  const home = createHome('sentinel')
  const port = await freePort()
  const file = join(home.folder, 'sentinel.conf')
  const settings = [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir ${home.folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 1`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 10000`,
  ]
  writeFileSync(file, `${settings.join('\n')}\n`)
  const service = await runService({
    name: 'sentinel',
    home,
    command: findProgram('redis-server'),
    args: [file, '--sentinel'],
    isReady: () => answers(port),
  })
  return { ...service, port }
}

/** Starts a primary, a replica and a Sentinel. Returns `undefined` when Redis is not installed. */
export async function startRedisWithSentinel() {
  const primary = await startRedis()
  if (!primary) return undefined
  const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(primary.port)] })
  if (!replica) return undefined
  await untilReplicating(replica.port)
  const sentinel = await startSentinel(primary.port)
  await untilSays(sentinel.port, ['SENTINEL', 'MASTER', NAME], ['num-slaves\r\n$1\r\n1'])
  const services = [sentinel, replica, primary]
  return { name: NAME, primary, replica, sentinel, stop: () => Promise.all(services.map((service) => service.stop())) }
}
