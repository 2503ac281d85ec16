/** Starts gateways and bridges, and the servers behind them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/support/free-port.mjs'
import { AGAINST } from '../against.mjs'
import { programOf } from '../subjects.mjs'
import { familyOf } from './accounting.mjs'
import { onLoadCore, onServerCore } from './cores.mjs'
import { startServer } from './server.mjs'

const START_MS = 60_000
const AGAIN_MS = 50
const UPSTREAM = 'portcall'
const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const installed = (path) => at(`../gateways/node_modules/${path}`)
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const running = new Set()
process.on('exit', () => {
  for (const child of running) killFamily(child.pid)
})

/** Kills a process and its descendants. Some may have exited because another one did. */
function killFamily(first) {
  for (const pid of familyOf(first).toReversed()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {}
  }
}

function run(args, stdout) {
  const program = onServerCore({ command: process.execPath, args })
  const child = spawn(program.command, program.args, { stdio: ['ignore', stdout, 'ignore'] })
  running.add(child)
  return child
}

/** Kills a gateway and the programs that it started. */
async function end(child) {
  running.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  killFamily(child.pid)
  await ended
}

/** Resolves when a port accepts requests. */
async function whenOpen(port, child) {
  const deadline = performance.now() + START_MS
  while (performance.now() < deadline && child.exitCode === null) {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'OPTIONS' }).catch(() => undefined)
    if (response) return
    await wait(AGAIN_MS)
  }
  throw new Error(`nothing listens on port ${port}`)
}

/** The commands of third-party bridges from a program to HTTP. */
const BRIDGES = {
  'mcp-proxy': (port, { command, args }) => [
    installed('mcp-proxy/dist/bin/mcp-proxy.mjs'),
    ...['--port', port, '--host', '127.0.0.1', '--server', 'stream', '--', command, ...args],
  ],
  supergateway: (port, { command, args }) => [
    installed('supergateway/dist/index.js'),
    ...['--port', port, '--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none'],
    ...['--stdio', [command, ...args].join(' ')],
  ],
}

/** Returns the arguments of Node for a program on stdin and stdout that forwards to a URL. */
export const STDIO_FRONTS = {
  portcall: (url) => [at('../servers/gateway.mjs'), '--transport', 'stdio', '--servers', JSON.stringify({ s0: url })],
  'mcp-remote': (url) => [installed('mcp-remote/dist/proxy.js'), url, '--transport', 'http-only', '--silent'],
}

/** The programs of Portcall's gateway. */
const OURS = { portcall: at('../servers/gateway.mjs'), before: AGAINST && join(AGAINST, 'bench/servers/gateway.mjs') }

/** Starts a program that prints its port. */
async function startOnAnyPort(args) {
  const child = run(args, 'pipe')
  const listening = once(createInterface({ input: child.stdout }), 'line', { signal: AbortSignal.timeout(START_MS) })
  const [line] = await Promise.race([listening, once(child, 'exit').then(() => Promise.reject(new Error('the gateway ended')))])
  return { pid: child.pid, port: JSON.parse(line).port, close: () => end(child) }
}

/** Starts a server that shares the core of the load generator, so that the gateway has a core of its own. */
export const startUpstream = (options, name = UPSTREAM) => startServer(name, options, { onCore: onLoadCore })

/** The program of a server over stdio, on the core of the load generator. */
export const stdioUpstream = (options) => onLoadCore(programOf(UPSTREAM, 'stdio', options))

/** Starts the hand-written proxy between the modes `front` and `back`, to a `port` or a `program`. */
export const startProxy = (options) =>
  startOnAnyPort([at('../baseline/proxy.mjs'), ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])])

/** Starts the proxy that only copies, to a `port`. */
export const startCopy = ({ port }) => startOnAnyPort([at('../baseline/copy.mjs'), '--port', `${port}`])

/**
 * Starts the gateway of a subject in front of servers, `{ name: target }`. Bridges of others take a single program.
 *
 * @returns {Promise<{ pid: number, port: number, close(): Promise<void> }>}
 */
export async function startGateway(name, servers) {
  if (OURS[name]) return startOnAnyPort([OURS[name], '--servers', JSON.stringify(servers)])
  const port = await freePort()
  const child = run(BRIDGES[name](String(port), Object.values(servers)[0]), 'ignore')
  await whenOpen(port, child)
  return { pid: child.pid, port, close: () => end(child) }
}
