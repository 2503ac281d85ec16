/** One server process per core. */
import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { createServer, generateKey } from 'portcall'
import { serve } from 'portcall/node'

// #region workers
/** Starts a process per core. All share one key, so that each can open what another has sealed. */
function startWorkers(): void {
  const key = generateKey()
  for (let core = 0; core < availableParallelism(); core++) cluster.fork({ STATE_KEY: key })
  process.once('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
  })
}

async function startWorker(): Promise<void> {
  const server = createServer({ name: 'cluster', version: '1.0.0' }, { sealingKeys: [process.env.STATE_KEY ?? generateKey()] })
  server.tool('which', { description: 'Returns the process that responds' }, () => String(process.pid))
  const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), legacy: 'stateless' })
  console.log(url)
}

if (cluster.isPrimary) startWorkers()
else await startWorker()
// #endregion
