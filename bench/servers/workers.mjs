/** Several processes on one port. */

/**
 * Starts copies of this program that share its port, and prints the port when all listen. Does nothing in a copy, or when one
 * process is enough.
 *
 * @returns {Promise<boolean>} whether this process only supervises the others
 */
export async function startWorkers(workers) {
  if (workers < 2) return false
  const { default: cluster } = await import('node:cluster')
  if (cluster.isWorker) return false
  let listening = 0
  cluster.on('listening', (_worker, { port }) => {
    if (++listening === workers) console.log(JSON.stringify({ port }))
  })
  for (let n = 0; n < workers; n++) cluster.fork({ BENCH_WORKER: '1' })
  return true
}

/** Prints the port, unless the supervising process does. */
export function tellPort(port) {
  if (!process.env.BENCH_WORKER) console.log(JSON.stringify({ port }))
}
