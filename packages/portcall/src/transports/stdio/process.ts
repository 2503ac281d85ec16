import { isAscii } from 'node:buffer'
import type { Readable, Writable } from 'node:stream'
import type { Channel } from '../../jsonrpc/channel.ts'
import { createLineReader, encodeLine } from './lines.ts'
import { createWriter } from './writer.ts'

export interface ProcessChannelOptions {
  /** Longer lines are skipped and reported as unreadable. Default: 4 MiB. */
  maxLineBytes?: number
  /** Deeper nested values are reported as unreadable. Default: 128. */
  maxDepth?: number
  /** How much may wait to be read by the other side before `send` asks to wait. Default: 1 MiB. */
  maxBufferedBytes?: number
  /** How long `close` waits for the other side to read what was sent, in milliseconds. Default: 5 seconds. */
  flushMs?: number
}

export interface PipeChannelOptions extends ProcessChannelOptions {
  /** Its encoding must not be set: it has to give bytes. */
  readable: Readable
  writable: Writable
  /**
   * Stops reading while too much waits to be read by the other side. For the answering side only: when both do it, both may
   * wait for ever. Default: false.
   */
  pauseWhenFull?: boolean
  /** How much leaves without waiting for more: the other side begins while this one goes on. Default: all of a tick. */
  eagerBytes?: number
  /** How many bytes of the beginning and of the end of an unreadable line are told. Default: none. */
  excerptBytes?: number
  /**
   * Goes on reading when only the writable side has failed, so that what the other side said before it went is heard; and after `close`,
   * when it is thrown away: a program that writes while it ends does so to somebody. The readable is the owner's to destroy then.
   * Default: false.
   */
  readToEnd?: boolean
}

const MAX_BUFFERED_BYTES = 1024 * 1024
const FLUSH_MS = 5000
/** What a pipe takes in at once. */
const PIPE_BYTES = 64 * 1024

/**
 * Makes a channel of two Node streams: the pipes of a process, a socket.
 *
 * It closes, and says so once, when the readable side ends or either side fails; errors of the streams go nowhere else. When only
 * the readable side has ended, messages can still be sent until `close`, which ends the writable side too.
 */
export function pipeChannel(options: PipeChannelOptions): Channel {
  const { readable, writable, pauseWhenFull = false, readToEnd = false, maxLineBytes, maxDepth, excerptBytes } = options
  let state: 'waiting' | 'open' | 'ended' = 'waiting'
  let onClose: (() => void) | undefined
  let forget = (): void => {}
  const writer = createWriter(boundSink(writable), {
    maxBufferedBytes: options.maxBufferedBytes ?? MAX_BUFFERED_BYTES,
    eagerBytes: options.eagerBytes,
    defer: process.nextTick,
    onFull(full) {
      if (!pauseWhenFull || state !== 'open') return
      if (full) readable.pause()
      else readable.resume()
    },
  })
  const finish = (): void => {
    if (state === 'ended') return
    state = 'ended'
    readable.pause()
    onClose?.()
  }
  const fail = (): void => {
    if (!readToEnd) finish()
    writer.abandon()
  }
  writable.on('error', fail).on('close', fail)
  readable.on('error', fail).on('close', finish)

  return {
    get bufferedBytes() {
      return writer.bufferedBytes
    },
    send: (message) => writer.write(encodeLine(message)),
    receive(onReceived, close) {
      onClose = close
      if (state === 'ended') return queueMicrotask(close)
      state = 'open'
      const reader = createLineReader({
        ...(maxLineBytes === undefined ? {} : { maxBytes: maxLineBytes }),
        ...(maxDepth === undefined ? {} : { maxDepth }),
        ...(excerptBytes === undefined ? {} : { excerptBytes }),
        readAscii,
        onReceived: (received) => {
          if (state === 'open') onReceived(received)
        },
      })
      readable.on('end', () => {
        reader.end()
        finish()
      })
      readable.on('data', reader.push)
      forget = () => void readable.off('data', reader.push)
    },
    async close() {
      finish()
      forget()
      if (readToEnd) readable.resume()
      const timer = setTimeout(writer.abandon, options.flushMs ?? FLUSH_MS)
      await writer.end()
      clearTimeout(timer)
      if (!readToEnd) readable.destroy()
      writable.destroy()
    },
  }
}

function readAscii(bytes: Uint8Array): string | undefined {
  return isAscii(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') : undefined
}

/** Holds on to the `write` of now: that of stdout is about to be replaced. */
function boundSink(writable: Writable): Parameters<typeof createWriter>[0] {
  const write = writable.write.bind(writable) as (text: string, done: () => void) => boolean
  return {
    write,
    end: (done) => writable.end(done),
    get writableLength() {
      return writable.writableLength
    },
  }
}

let taken = false

/**
 * Makes the channel of a server that was started by its client: messages over stdin and stdout of this process.
 *
 * From now on stdout belongs to the protocol. Whatever else writes to `process.stdout`, `console.log` included, reaches stderr
 * instead, and the first time a warning says where it came from. The channel closes when stdin ends; answers can be sent until
 * `close`. A client that does not read is not read from.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 *
 * @throws Error when it is called twice in one process.
 */
export function processChannel(options: ProcessChannelOptions = {}): Channel {
  if (taken) throw new Error('stdin and stdout of this process carry a channel already')
  taken = true
  const { stdin, stdout } = process
  const channel = pipeChannel({ ...options, readable: stdin, writable: stdout, eagerBytes: PIPE_BYTES, pauseWhenFull: true })
  process.stderr.on('error', () => {})
  stdout.write = createDetour()
  return channel
}

const WARNING = `
[portcall] WARNING: something other than the protocol writes to stdout. Stdout carries the messages to the client, so this text
[portcall] and all that follows go to stderr instead. Use console.error in place of console.log, and point your logger at stderr.
[portcall] The first text came from:
`

/** Makes the `write` that takes the place of stdout's. */
function createDetour(): typeof process.stdout.write {
  let warned = false
  return ((...args: Parameters<typeof process.stderr.write>): boolean => {
    if (!warned) {
      warned = true
      const { stack = '' } = new Error()
      const callers = stack
        .split('\n')
        .slice(2)
        .filter((line) => !line.includes('node:internal'))
      process.stderr.write(`${WARNING}${callers.slice(0, 4).join('\n')}\n\n`)
    }
    return process.stderr.write(...args)
  }) as typeof process.stdout.write
}
