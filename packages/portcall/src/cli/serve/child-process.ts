import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Channel, type ChannelExchange, createChannelExchange } from '../../entrypoints/client.ts'
import { serveChannel } from '../../entrypoints/index.ts'
import { loadServer } from '../target/module.ts'

/** The environment variable that marks a child process. */
const CHILD_VARIABLE = 'PORTCALL_SERVE_CHILD'
const READY = 'ready'

/** Whether this process was started by `startChild`. */
export const isChild: boolean = process.env[CHILD_VARIABLE] === '1' && process.send !== undefined

/** Serves a module from a child process. Rejects if the process exits before the module is loaded; it has printed the reason then. */
export async function startChild(path: string): Promise<ChannelExchange> {
  const main = fileURLToPath(new URL('main.js', import.meta.url))
  const child = fork(main, ['serve', path], { env: { ...process.env, [CHILD_VARIABLE]: '1' }, stdio: ['ignore', 2, 2, 'ipc'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`cannot run ${path}`)))
    child.once('message', (message) => {
      if (message === READY) resolve(createChannelExchange(createIpcChannel(child)))
    })
  })
}

/** Serves a module to the parent process, until it disconnects. */
export async function runChild(path: string): Promise<void> {
  const server = await loadServer(path)
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
      peer.on('message', (value) => onReceived({ value }))
      peer.once('disconnect', () => onClose())
    },
    async close() {
      if (peer.connected) peer.disconnect()
    },
  }
}
