import { type ChildProcess, fork } from 'node:child_process'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serveChannel } from 'portcall'
import { type Channel, type ChannelExchange, createChannelExchange } from 'portcall/client'
import { loadServer } from '../target/module.ts'

/** The environment variable that marks a child process. */
const CHILD_VARIABLE = 'PORTCALL_SERVE_CHILD'
const READY = 'ready'

/** True if this process was started by `startChild`. */
export const isChild: boolean = process.env[CHILD_VARIABLE] === '1' && process.send !== undefined

/** Makes Node report to the parent process which files it loads, as it does for `node --watch`. */
const REPORT_VARIABLE = 'WATCH_REPORT_DEPENDENCIES'
const REPORT = /^watch:(?:import|require)$/

/**
 * Serves a module from a child process. Rejects if the process exits before the module is loaded; it has printed the reason then. `onLoad`
 * receives the paths of the files that the process loads.
 */
export async function startChild(path: string, onLoad: (files: readonly string[]) => void): Promise<ChannelExchange> {
  const main = fileURLToPath(new URL('main.js', import.meta.url))
  const child = fork(main, ['serve', path], {
    env: { ...process.env, [CHILD_VARIABLE]: '1', [REPORT_VARIABLE]: '1' },
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  child.on('message', (message) => {
    const files = filesOf(message)
    if (files) onLoad(files)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`cannot run ${path}`)))
    child.on('message', (message) => {
      if (message === READY) resolve(createChannelExchange(createIpcChannel(child)))
    })
  })
}

/** Returns the files of a message of Node about what it has loaded, or `undefined` for any other message. */
function filesOf(message: unknown): string[] | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const [name = '', ...others] = Object.keys(message)
  if (!REPORT.test(name) || others.length > 0) return undefined
  return (Object.values(message)[0] as readonly unknown[])
    .filter((file): file is string => typeof file === 'string')
    .flatMap((file) => (file.startsWith('file:') ? [fileURLToPath(file)] : isAbsolute(file) ? [file] : []))
}

/** Serves a module to the parent process, until it disconnects. */
export async function runChild(path: string): Promise<void> {
  const server = await loadServer(path)
  // The programs that the module starts have nothing to report.
  delete process.env[REPORT_VARIABLE]
  const parent = process as unknown as IpcPeer
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  await new Promise<void>((resolve) => {
    serveChannel(server, createIpcChannel(parent), { onClose: resolve })
    parent.send(READY, () => {})
  })
}

/** The other side of an IPC connection: a child process, or `process` for the parent. */
type IpcPeer = Pick<ChildProcess, 'connected' | 'send' | 'disconnect' | 'on' | 'once'>

function createIpcChannel(peer: IpcPeer): Channel {
  return {
    send(message) {
      if (peer.connected) peer.send(message, () => {})
    },
    receive(onReceived, onClose) {
      peer.on('message', (value) => {
        if (!filesOf(value)) onReceived({ value })
      })
      peer.once('disconnect', () => onClose())
    },
    async close() {
      if (peer.connected) peer.disconnect()
    },
  }
}
