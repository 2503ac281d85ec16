import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.mjs'
import { startRedis } from './redis.mjs'

const SLOTS = 16_384
const DEADLINE_MS = 60_000

/** Sends one command to Redis on a loopback port and resolves to the first chunk of its reply. */
function say(port, ...words) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${words.join(' ')}\r\n`))
    socket.once('error', reject)
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
  })
}

async function untilJoined(nodes) {
  const deadline = performance.now() + DEADLINE_MS
  for (const { port } of nodes) {
    const isReady = async () => {
      const info = await say(port, 'CLUSTER', 'INFO')
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`)
    }
    while (!(await isReady())) {
      if (performance.now() > deadline) throw new Error(`the cluster is not ready within ${DEADLINE_MS / 1000} s`)
      await sleep(50)
    }
  }
}

/** Starts a Redis Cluster without replicas. Returns `undefined` when Redis is not installed. */
export async function startRedisCluster(size = 3) {
  const nodes = []
  for (let at = 0; at < size; at++) {
    const own = ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort()), '--cluster-node-timeout', '2000']
    const node = await startRedis({ args: own })
    if (!node) return undefined
    nodes.push({ ...node, busPort: own[3] })
  }
  const first = nodes[0]
  const share = Math.ceil(SLOTS / size)
  for (const [at, { port, busPort }] of nodes.entries()) {
    await say(port, 'CLUSTER', 'ADDSLOTSRANGE', at * share, Math.min((at + 1) * share, SLOTS) - 1)
    if (at > 0) await say(first.port, 'CLUSTER', 'MEET', '127.0.0.1', port, busPort)
  }
  await untilJoined(nodes)
  return {
    nodes,
    /** Returns the node that owns the slot of a key. */
    async ownerOf(key) {
      const slot = Number((await say(first.port, 'CLUSTER', 'KEYSLOT', key)).slice(1))
      return nodes[Math.floor(slot / share)]
    },
    stop: () => Promise.all(nodes.map((node) => node.stop())),
  }
}
