/**
 * A gateway to a server over stdio and one over HTTP, whose parent observes its memory, descriptors, timers, keys and children.
 * Arguments: the program of the stdio server, its mark, the URL of the HTTP server, and `stores` to keep sessions in a store. IPC: `state` or
 * `crash`.
 */
import { createHook } from 'node:async_hooks'
import { readdirSync } from 'node:fs'
import { createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { memoryStores } from 'portcall/stores'

const IDLE_MS = 5000
const [program = '', mark = '', httpUrl = '', sessions = ''] = process.argv.slice(2)
const stores = sessions === 'stores' ? memoryStores() : undefined

/** The timers that have neither fired nor been cleared, including those that do not keep the process running. */
const timers = new Set<number>()
createHook({
  init: (id, type) => void (type === 'Timeout' && timers.add(id)),
  destroy: (id) => void timers.delete(id),
}).enable()

const gateway = createGateway({
  servers: {
    child: {
      target: { command: process.execPath, args: [program, mark] },
      protocolVersion: '2025-11-25',
      idleTimeoutMs: IDLE_MS,
    },
    remote: { target: httpUrl, protocolVersion: '2025-11-25', idleTimeoutMs: IDLE_MS },
  },
  ...(stores && { stores }),
})
const { url } = await serve(gateway, {
  port: 0,
  sessionIdleTimeoutMs: IDLE_MS,
  maxPrincipalSessions: 10_000,
  ...(stores && { stores }),
})

async function state(): Promise<object> {
  globalThis.gc?.()
  const { servers, subscriptions } = gateway.status()
  return {
    heap: process.memoryUsage().heapUsed,
    descriptors: readdirSync('/proc/self/fd').length,
    timers: timers.size,
    keys: (await stores?.store.count('')) ?? 0,
    connections: Object.values(servers).reduce((sum, server) => sum + server.connections, 0),
    subscriptions,
  }
}

process.on('message', async (message) => {
  if (message === 'state') process.send?.(await state())
  else setImmediate(() => Promise.reject(new Error('A crash on request')))
})
process.send?.({ url })
