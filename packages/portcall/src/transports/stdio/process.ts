import type { Readable, Writable } from 'node:stream'
import type { Channel } from '../../jsonrpc/channel.ts'
import { createLineReader, encodeLine } from './lines.ts'

export interface ProcessChannelOptions {
  /** Longer lines are skipped and reported as unreadable. Default: 4 MiB. */
  maxLineBytes?: number
  /** Deeper nested values are reported as unreadable. Default: 128. */
  maxDepth?: number
  /** How much may wait to be read by the other side before `send` asks to wait. Default: 1 MiB. */
  maxBufferedBytes?: number
}

export interface PipeChannelOptions extends ProcessChannelOptions {
  readable: Readable
  writable: Writable
  /**
   * Stops reading while too much waits to be read by the other side. For the answering side only: when both do it, both may wait for
   * ever. Default: false.
   */
  pauseWhenFull?: boolean
}

const MAX_BUFFERED_BYTES = 1024 * 1024

/**
 * A channel over two Node streams: pipes of a process, a socket.
 *
 * It closes, and says so once, when the readable side ends or either side fails; errors of the streams go nowhere else. When only the
 * readable side has ended, messages can still be sent until `close`.
 */
export function pipeChannel(options: PipeChannelOptions): Channel {
  const { readable, writable, pauseWhenFull = false } = options
  const writer = createWriter(writable, options.maxBufferedBytes ?? MAX_BUFFERED_BYTES)
  let onClose: (() => void) | undefined
  let ended = false

  const finish = (): void => {
    if (ended) return
    ended = true
    onClose?.()
  }
  const fail = (): void => {
    writer.abandon()
    readable.pause()
    finish()
  }
  writable.on('error', fail).on('close', fail)
  readable.on('error', fail)
  if (pauseWhenFull) writer.onFull = (full) => void (full ? readable.pause() : ended || readable.resume())

  return {
    send: (message) => writer.write(encodeLine(message)),
    receive(onReceived, close) {
      onClose = close
      if (ended) return queueMicrotask(close)
      const { maxLineBytes: maxBytes, maxDepth } = options
      const limits = { ...(maxBytes === undefined ? {} : { maxBytes }), ...(maxDepth === undefined ? {} : { maxDepth }) }
      const reader = createLineReader({ ...limits, onReceived: (received) => void (ended || onReceived(received)) })
      readable.on('data', (chunk: Uint8Array) => reader.push(chunk))
      readable.once('end', () => (reader.end(), finish()))
      readable.once('close', finish)
    },
    async close() {
      readable.pause()
      await writer.end()
      readable.destroy()
      finish()
    },
  }
}

interface Writer {
  write(text: string): void | Promise<void>
  /** Resolves when all that was written has left, or cannot leave any more. */
  end(): Promise<void>
  /** Throws away what waits and takes nothing more. */
  abandon(): void
  onFull: ((full: boolean) => void) | undefined
}

/** Gathers what is written in one tick into one write, and tells when too much waits. */
function createWriter(writable: Writable, maxBuffered: number): Writer {
  const write = writable.write.bind(writable) as (text: string, done: () => void) => boolean
  let gathered = ''
  let writing = 0
  let open = true
  let full: { promise: Promise<void>; release: () => void } | undefined
  let idle: Array<() => void> = []

  const buffered = (): number => gathered.length + writable.writableLength
  const settle = (): void => {
    if (full && (!open || buffered() <= maxBuffered)) {
      const { release } = full
      full = undefined
      release()
      writer.onFull?.(false)
    }
    if (!open || (writing === 0 && gathered === '')) for (const wake of idle.splice(0)) wake()
  }
  const flush = (): void => {
    const text = gathered
    gathered = ''
    if (!open || text === '') return settle()
    writing++
    write(text, () => (writing--, settle()))
  }
  const wait = (): Promise<void> => {
    if (!full) {
      let release!: () => void
      full = { promise: new Promise((resolve) => (release = resolve)), release }
      writer.onFull?.(true)
    }
    return full.promise
  }
  const writer: Writer = {
    onFull: undefined,
    write(text) {
      if (!open) return
      if (gathered === '') process.nextTick(flush)
      gathered += text
      if (buffered() > maxBuffered) return wait()
    },
    async end() {
      if (open && (gathered !== '' || writing > 0)) await new Promise<void>((wake) => void idle.push(wake))
      writer.abandon()
    },
    abandon() {
      open = false
      gathered = ''
      settle()
    },
  }
  return writer
}

let taken = false

/**
 * The channel of a server that was started by its client: messages over stdin and stdout of this process.
 *
 * From now on stdout belongs to the protocol. Whatever else writes to `process.stdout`, `console.log` included, reaches stderr instead,
 * and the first time a warning says so. The channel closes when stdin ends; answers can be sent until `close`. A client that does not read
 * is not read from.
 *
 * @throws Error when it is called twice in one process.
 */
export function processChannel(options: ProcessChannelOptions = {}): Channel {
  if (taken) throw new Error('stdin and stdout of this process carry a channel already')
  taken = true
  const channel = pipeChannel({ ...options, readable: process.stdin, writable: process.stdout, pauseWhenFull: true })
  process.stderr.on('error', () => {})
  process.stdout.write = redirect()
  return channel
}

/** Makes the `write` that takes the place of stdout's. */
function redirect(): typeof process.stdout.write {
  let warned = false
  return ((...args: Parameters<typeof process.stderr.write>): boolean => {
    if (!warned) {
      warned = true
      process.stderr.write(`${WARNING}${String(new Error().stack).split('\n').slice(2, 8).join('\n')}\n`)
    }
    return process.stderr.write(...args)
  }) as typeof process.stdout.write
}

const WARNING =
  '[portcall] WARNING: something wrote to stdout. Stdout carries the protocol, so the text was sent to stderr, and so will be what follows.\n' +
  '[portcall] Use console.error instead of console.log, and point loggers at stderr. It was written here:\n'
