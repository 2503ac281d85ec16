/** Several processes behind one port. */

/**
 * Starts so many copies of this program, which share its port; prints the port when all listen. Does nothing in a copy, and where one
 * process is enough.
 *
 * @returns {Promise<boolean>} whether this process only looks after the others
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

/** Prints the port, unless the process that looks after this one does. */
export function tellPort(port) {
  if (!process.env.BENCH_WORKER) console.log(JSON.stringify({ port }))
}
