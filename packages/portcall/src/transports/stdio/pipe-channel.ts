import { isAscii } from 'node:buffer'
import type { Readable, Writable } from 'node:stream'
import type { Channel } from '../../jsonrpc/channel.ts'
import { createLineReader, encodeLine, type LineReadingOptions } from './lines.ts'
import { createWriter, type WriterOptions } from './writer.ts'

/** The limits of a channel over pipes. */
export interface PipeLimits {
  /** Maximum length of a line. Longer ones are skipped and reported as unreadable. Default: 4 MiB. */
  maxMessageBytes?: number
  /** Maximum nesting depth of a message. Deeper ones are reported as unreadable. Default: 128. */
  maxJsonDepth?: number
  /** Buffered bytes from which on `send` returns a promise, which resolves when the peer has read enough. Default: 1 MiB. */
  maxBufferedBytes?: number
  /** How long `close` waits for the peer to read the buffered messages, in milliseconds. Default: 5,000. */
  flushTimeoutMs?: number
}

export interface PipeChannelOptions extends PipeLimits, LineReadingOptions {
  /** Must emit bytes: do not set an encoding. */
  readable: Readable
  writable: Writable
  /**
   * Handles no input while the write buffer is full. Only one of the two peers may do this; otherwise they can deadlock. Default: false.
   */
  pauseWhenFull?: boolean
  /** Decides when messages are written. Default: `process.nextTick`, when the current code has run. */
  defer?: WriterOptions['defer']
  /** Receives the bytes that arrive, before they are parsed. Chunks are not to be changed. */
  onBytes?: ((chunk: Uint8Array) => void) | undefined
  /**
   * Continues reading after the writable side failed, so that the last messages of the peer are received, and after `close`, when the data
   * is discarded so that a program that writes while it exits is not blocked. The caller must destroy the readable. Default: false.
   */
  readToEnd?: boolean
}

const MAX_BUFFERED_BYTES = 1024 * 1024
/** Input that is held while the write buffer is full. It is read because only a stream that is read is seen to end. */
const MAX_HELD = { bytes: 1024 * 1024, chunks: 1000 }
const FLUSH_TIMEOUT_MS = 5000

/**
 * Creates a channel on two Node streams, such as the pipes of a process or a socket.
 *
 * The channel closes when the readable side ends or either side fails; it handles the errors of the streams. After the readable side has
 * ended, messages can still be sent until `close`, which also ends the writable side.
 */
export function pipeChannel(options: PipeChannelOptions): Channel {
  const { readable, writable, pauseWhenFull = false, readToEnd = false } = options
  let state: 'idle' | 'open' | 'ended' = 'idle'
  let onClose: (() => void) | undefined
  let stopReading = (): void => {}
  let release = (): void => {}
  let isFull = false
  const writer = createWriter(bindSink(writable), {
    maxBufferedBytes: options.maxBufferedBytes ?? MAX_BUFFERED_BYTES,
    defer: options.defer ?? process.nextTick,
    onFull(full) {
      if (!pauseWhenFull || state !== 'open') return
      isFull = full
      if (!full) release()
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
    writer.destroy()
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
        ...options,
        maxBytes: options.maxMessageBytes,
        maxDepth: options.maxJsonDepth,
        decodeAscii,
        onReceived: (received) => {
          if (state === 'open') onReceived(received)
        },
      })
      let held: Uint8Array[] = []
      let heldBytes = 0
      const push = (chunk: Uint8Array): void => {
        if (!isFull) return reader.push(chunk)
        held.push(chunk)
        heldBytes += chunk.length
        if (heldBytes > MAX_HELD.bytes || held.length > MAX_HELD.chunks) readable.pause()
      }
      release = () => {
        const chunks = held
        held = []
        heldBytes = 0
        for (const chunk of chunks) reader.push(chunk)
        if (!isFull) readable.resume()
      }
      readable.on('end', () => {
        release()
        reader.end()
        finish()
      })
      if (options.onBytes) readable.on('data', options.onBytes)
      readable.on('data', push)
      stopReading = () => void readable.off('data', push)
    },
    async close() {
      finish()
      stopReading()
      if (readToEnd) readable.resume()
      const timer = setTimeout(writer.destroy, options.flushTimeoutMs ?? FLUSH_TIMEOUT_MS)
      await writer.end()
      clearTimeout(timer)
      if (!readToEnd) readable.destroy()
      writable.destroy()
    },
  }
}

function decodeAscii(bytes: Uint8Array): string | undefined {
  return isAscii(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1') : undefined
}

/** Binds the current `write` function, because that of stdout is replaced later. */
function bindSink(writable: Writable): Parameters<typeof createWriter>[0] {
  const write = writable.write.bind(writable) as (text: string, done: () => void) => boolean
  return {
    write,
    end: (done) => writable.end(done),
    get writableLength() {
      return writable.writableLength
    },
  }
}
