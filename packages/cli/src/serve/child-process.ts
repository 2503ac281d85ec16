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

/** The messages about the files of views: those of a view, and those that have changed. The library reads and writes them. */
const VIEW_FILES = 'portcall:view-files'
const VIEW_CHANGED = 'portcall:view-changed'

/** A child process that serves a module. */
export interface ServingChild {
  readonly exchange: ChannelExchange
  /** Builds the views again that consist of these files. */
  changeViews(files: readonly string[]): void
}

/** The listeners for the files of a child process. */
export interface LoadListeners {
  /** Receives the paths of the modules that it loads. */
  readonly onLoad: (files: readonly string[]) => void
  /** Receives the paths of the files of a view. */
  readonly onView: (files: readonly string[]) => void
}

/** Serves a module from a child process. Rejects if the process exits before the module is loaded; it has printed the reason then. */
export async function startChild(path: string, { onLoad, onView }: LoadListeners): Promise<ServingChild> {
  const main = fileURLToPath(new URL('main.js', import.meta.url))
  const child = fork(main, ['serve', path], {
    env: { ...process.env, [CHILD_VARIABLE]: '1', [REPORT_VARIABLE]: '1' },
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  child.on('message', (message) => {
    const files = filesOf(message)
    const ofView = viewFilesOf(message)
    if (files) onLoad(files)
    if (ofView) onView(ofView)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`cannot run ${path}`)))
    child.on('message', (message) => {
      if (message !== READY) return
      const exchange = createChannelExchange(createIpcChannel(child))
      resolve({ exchange, changeViews: (files) => void (child.connected && child.send({ [VIEW_CHANGED]: files }, () => {})) })
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

/** Returns the files of a message about a view, or `undefined` for any other message. */
function viewFilesOf(message: unknown): readonly string[] | undefined {
  const files = (message as { readonly [key: string]: unknown } | null)?.[VIEW_FILES]
  return Array.isArray(files) ? files : undefined
}

const isOwn = (value: unknown): boolean =>
  filesOf(value) !== undefined || (typeof value === 'object' && value !== null && (VIEW_FILES in value || VIEW_CHANGED in value))

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
        if (!isOwn(value)) onReceived({ value })
      })
      peer.once('disconnect', () => onClose())
    },
    async close() {
      if (peer.connected) peer.disconnect()
    },
  }
}
