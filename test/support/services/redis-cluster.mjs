import { freePort } from '../free-port.mjs'
import { say, startRedis, untilReplicating, untilSays } from './redis.mjs'

const SLOTS = 16_384

async function untilJoined(nodes) {
  for (const { port } of nodes)
    await untilSays(port, ['CLUSTER', 'INFO'], ['cluster_state:ok', `cluster_known_nodes:${nodes.length}`])
}

async function startNode() {
  const busPort = String(await freePort())
  const node = await startRedis({
    args: ['--cluster-enabled', 'yes', '--cluster-port', busPort, '--cluster-node-timeout', '2000'],
  })
  return node && { ...node, busPort }
}

/** Adds a node to a cluster as the replica of its first node, and waits until it has the data. */
async function addReplica(nodes) {
  const replica = await startNode()
  const [{ port, busPort }] = nodes
  const id = (await say(port, 'CLUSTER', 'MYID')).split('\r\n')[1]
  await say(replica.port, 'CLUSTER', 'MEET', '127.0.0.1', port, busPort)
  await untilJoined([...nodes, replica])
  await say(replica.port, 'CLUSTER', 'REPLICATE', id)
  await untilReplicating(replica.port)
  return replica
}

/** Returns the first slot of each node and, at the end, the number of slots. A first node with a replica has all slots but one for each other node. */
const boundsOf = (size, hasReplica) => [
  0,
  ...Array.from({ length: size }, (_, at) =>
    hasReplica ? SLOTS - size + at + 1 : Math.min((at + 1) * Math.ceil(SLOTS / size), SLOTS),
  ),
]

/**
 * Starts a Redis Cluster of some primaries, the first of which may have a replica, and owns almost all keys then. Returns `undefined` when Redis is
 * not installed.
 */
export async function startRedisCluster({ size = 3, hasReplica = false } = {}) {
  const nodes = []
  for (let at = 0; at < size; at++) {
    const node = await startNode()
    if (!node) return undefined
    nodes.push(node)
  }
  const first = nodes[0]
  const bounds = boundsOf(size, hasReplica)
  for (const [at, { port, busPort }] of nodes.entries()) {
    await say(port, 'CLUSTER', 'ADDSLOTSRANGE', bounds[at], bounds[at + 1] - 1)
    if (at > 0) await say(first.port, 'CLUSTER', 'MEET', '127.0.0.1', port, busPort)
  }
  await untilJoined(nodes)
  const replica = hasReplica ? await addReplica(nodes) : undefined
  return {
    nodes,
    replica,
    /** Returns the node that owns the slot of a key. */
    async ownerOf(key) {
      const slot = Number((await say(first.port, 'CLUSTER', 'KEYSLOT', key)).slice(1))
      return nodes.find((_, at) => slot < bounds[at + 1])
    },
    stop: () => Promise.all([...nodes, ...(replica ? [replica] : [])].map((node) => node.stop())),
  }
}
