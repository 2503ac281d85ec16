/** One server in as many processes as there are cores. */
import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { createServer, generateKey } from 'portcall'
import { serve } from 'portcall/node'

// #region workers
/** Starts a process for each core; they share one key, so that each can open what another has sealed. */
function startWorkers(): void {
  const key = generateKey()
  for (let core = 0; core < availableParallelism(); core++) cluster.fork({ STATE_KEY: key })
  process.once('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
  })
}

async function startWorker(): Promise<void> {
  const server = createServer({ name: 'cluster', version: '1.0.0' }, { keys: [process.env.STATE_KEY ?? generateKey()] })
  server.tool('which', { description: 'Tells which process answers' }, () => String(process.pid))
  const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), legacy: 'stateless' })
  console.log(url)
}

if (cluster.isPrimary) startWorkers()
else await startWorker()
// #endregion
