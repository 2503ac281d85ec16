import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type ChannelExchange, createChannelExchange } from '../../client.ts'
import { serveChannel } from '../../index.ts'
import { loadServer } from '../target/module.ts'
import { ipcChannel, type Port } from './ipc.ts'

/** Set for the process that runs a module for another one that serves it. */
const MARK = 'PORTCALL_SERVE_CHILD'
const READY = 'ready'

/** Whether this process was started to run a module for another. */
export const isChild: boolean = process.env[MARK] === '1' && process.send !== undefined

/** Runs a module in a process of its own. Rejects when it ends before its server is there; it has said why by then. */
export function startChild(path: string): Promise<ChannelExchange> {
  const main = fileURLToPath(new URL('main.js', import.meta.url))
  const child = fork(main, ['serve', path], { env: { ...process.env, [MARK]: '1' }, stdio: ['ignore', 2, 2, 'ipc'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${path} cannot be run`)))
    child.once('message', (message) => {
      if (message === READY) resolve(createChannelExchange(ipcChannel(child)))
    })
  })
}

/** Serves a module to the process that started this one, until that one lets go. */
export async function runChild(path: string): Promise<void> {
  const server = await loadServer(path)
  const port = process as unknown as Port
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  await new Promise<void>((resolve) => {
    serveChannel(server, ipcChannel(port), { onClose: resolve })
    port.send(READY, () => {})
  })
}
