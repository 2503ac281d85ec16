/**
 * A gateway to a server over stdio and one over HTTP, whose parent observes its memory, its files and its children.
 * Arguments: the program of the stdio server, its mark, and the URL of the HTTP server. IPC: `state` or `crash`.
 */
import { readdirSync, readlinkSync } from 'node:fs'
import { createGateway } from 'portcall/gateway'
import { serve } from 'portcall/node'

const IDLE_MS = 1500
const [program = '', mark = '', httpUrl = ''] = process.argv.slice(2)

const gateway = createGateway({
  servers: {
    child: {
      target: { command: process.execPath, args: [program, mark] },
      protocolVersion: '2025-11-25',
      idleTimeoutMs: IDLE_MS,
    },
    remote: { target: httpUrl, protocolVersion: '2025-11-25', idleTimeoutMs: IDLE_MS },
  },
})
const { url } = await serve(gateway, { port: 0, sessionIdleTimeoutMs: IDLE_MS, maxPrincipalSessions: 10_000 })

function countSockets(): number {
  const links = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`)
    } catch {
      return ''
    }
  })
  return links.filter((link) => link.startsWith('socket:')).length
}

function state(): object {
  globalThis.gc?.()
  const { servers, subscriptions } = gateway.status()
  const connections = Object.values(servers).reduce((sum, server) => sum + server.connections, 0)
  return { heap: process.memoryUsage().heapUsed, sockets: countSockets(), connections, subscriptions }
}

process.on('message', (message) => {
  if (message === 'state') process.send?.(state())
  else setImmediate(() => Promise.reject(new Error('A crash on request')))
})
process.send?.({ url })
