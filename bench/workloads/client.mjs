import { clientsFor } from '../clients.mjs'
import { startClient } from '../harness/client.mjs'

const PLACES = [
  { transport: 'http', mode: 'modern', title: 'HTTP, 2026-07-28' },
  { transport: 'http', mode: 'session', title: 'HTTP, 2025-11-25' },
  { transport: 'stdio', mode: 'modern', title: 'stdio, 2026-07-28' },
  { transport: 'stdio', mode: 'session', title: 'stdio, 2025-11-25' },
  { transport: 'memory', mode: 'modern', title: 'client and server in memory' },
]

const CALLS = [1, 64].map((concurrency) => ({ id: `c${concurrency}`, title: `${concurrency} in flight`, concurrency }))

/** The clients, each calling the baseline; CPU is that of the client. */
export const CLIENT = PLACES.map(({ transport, mode, title }) => ({
  id: transport === 'memory' ? 'client/memory' : `client/${transport}/${mode}`,
  title: `Client, ${title}`,
  columns: ['perSecond', 'p50', 'p99', 'cpuPer1000'],
  subjects: clientsFor(transport, mode),
  cells: CALLS,
  rounds: 3,
  turns: 3,
  peerRounds: 1,
  async open(name) {
    return { ...(await startClient(name, transport, mode)), warm: false }
  },
  async measure(handle, { concurrency }, { ms, warmMs }) {
    if (!handle.warm) await handle.run({ concurrency: 16, warmMs: 0, ms: warmMs })
    handle.warm = true
    return handle.run({ concurrency, warmMs: warmMs / 10, ms })
  },
}))
