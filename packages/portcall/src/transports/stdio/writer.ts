/** The members of a Node stream that a writer uses. */
export interface Sink {
  write(text: string, done: () => void): unknown
  end(done: () => void): unknown
  /** The number of buffered bytes. */
  readonly writableLength: number
}

export interface WriterOptions {
  /** Buffered bytes from which on `write` returns a promise. */
  maxBufferedBytes: number
  /** Calls back when the current code has run, such as `process.nextTick`. */
  defer: (callback: () => void) => void
  /** Called when the buffer becomes full, and when it has drained. */
  onFull?: (isFull: boolean) => void
}

/** Combines the texts of one tick in one write, or a few, and applies backpressure. */
export interface Writer {
  /** Writes text. If the buffer is full, returns a promise that resolves when it has drained or the writer is closed. */
  write(text: string): void | Promise<void>
  /** The approximate number of buffered bytes; text that was not written yet counts in characters. */
  readonly bufferedBytes: number
  /** Ends the writer. Resolves when the buffer has been sent, or cannot be sent any more. */
  end(): Promise<void>
  /** Discards the buffer and ends the writer. */
  destroy(): void
}

interface Deferred {
  promise: Promise<void>
  resolve(): void
}

/**
 * Characters that are written before the end of the tick, so that the peer can start early. Each such write of a tick doubles them, so that
 * much text takes few writes.
 */
const EAGER_LENGTH = 1024

/** Creates a writer. The owner of the sink handles its errors, and calls `destroy` then. */
export function createWriter(sink: Sink, { maxBufferedBytes, defer, onFull }: WriterOptions): Writer {
  let pending = ''
  let eager = EAGER_LENGTH
  let open = true
  let drained: Deferred | undefined
  let ended: Deferred | undefined

  const buffered = (): number => pending.length + sink.writableLength
  const resolveIfDrained = (): void => {
    if (!drained || (open && buffered() > maxBufferedBytes)) return
    drained.resolve()
    drained = undefined
    onFull?.(false)
  }
  const flush = (): void => {
    const text = pending
    pending = ''
    eager = EAGER_LENGTH
    if (text !== '') sink.write(text, resolveIfDrained)
  }
  const waitForDrain = (): Promise<void> => {
    if (!drained) {
      drained = createDeferred()
      onFull?.(true)
    }
    return drained.promise
  }

  return {
    get bufferedBytes() {
      return buffered()
    },
    write(text) {
      if (!open) return
      if (pending === '') defer(flush)
      pending += text
      if (pending.length >= eager) {
        const next = eager * 2
        flush()
        eager = next
      }
      if (buffered() > maxBufferedBytes) return waitForDrain()
    },
    end() {
      if (!ended) {
        ended = createDeferred()
        if (open) flush()
        if (open) sink.end(ended.resolve)
        else ended.resolve()
        open = false
        resolveIfDrained()
      }
      return ended.promise
    },
    destroy() {
      open = false
      pending = ''
      resolveIfDrained()
      ended?.resolve()
    },
  }
}

function createDeferred(): Deferred {
  let resolve!: () => void
  const promise = new Promise<void>((onResolve) => {
    resolve = onResolve
  })
  return { promise, resolve: () => resolve() }
}
