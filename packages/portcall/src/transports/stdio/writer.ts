/** The part of a Node stream that a writer uses. */
export interface Sink {
  write(text: string, done: () => void): unknown
  end(done: () => void): unknown
  /** Bytes that were written and have not left yet. */
  readonly writableLength: number
}

export interface WriterOptions {
  /** How much may wait before `write` asks to wait. */
  maxBufferedBytes: number
  /** As much as this leaves at once and does not wait for the tick to end: the other side begins while this one goes on. Default: never. */
  eagerBytes?: number | undefined
  /** Calls back when everything that runs now has run. */
  defer: (callback: () => void) => void
  /** Is told when the bound is passed, and when there is room again. */
  onFull?: (full: boolean) => void
}

/** Gathers what is written in one tick into one write, or a few, and tells when too much waits. */
export interface Writer {
  /** Takes text. Above the bound it returns a promise that resolves when there is room again, or never will be. */
  write(text: string): void | Promise<void>
  /** What waits, in characters or bytes: they differ little. */
  readonly bufferedBytes: number
  /** Takes nothing more; resolves when all that was written has left, or cannot leave any more. */
  end(): Promise<void>
  /** Throws away what waits and takes nothing more. */
  abandon(): void
}

interface Wait {
  promise: Promise<void>
  release(): void
}

/** Makes a writer. Errors of the sink are its owner's to hear; it calls `abandon` then. */
export function createWriter(sink: Sink, { maxBufferedBytes, eagerBytes = Infinity, defer, onFull }: WriterOptions): Writer {
  let gathered = ''
  let open = true
  let room: Wait | undefined
  let ended: Wait | undefined

  const buffered = (): number => gathered.length + sink.writableLength
  const release = (): void => {
    if (!room || (open && buffered() > maxBufferedBytes)) return
    room.release()
    room = undefined
    onFull?.(false)
  }
  const flush = (): void => {
    const text = gathered
    gathered = ''
    if (text !== '') sink.write(text, release)
  }
  const waitForRoom = (): Promise<void> => {
    if (!room) {
      room = createWait()
      onFull?.(true)
    }
    return room.promise
  }

  return {
    get bufferedBytes() {
      return buffered()
    },
    write(text) {
      if (!open) return
      if (gathered === '') defer(flush)
      gathered += text
      if (gathered.length >= eagerBytes) flush()
      if (buffered() > maxBufferedBytes) return waitForRoom()
    },
    end() {
      if (!ended) {
        ended = createWait()
        if (open) flush()
        if (open) sink.end(ended.release)
        else ended.release()
        open = false
        release()
      }
      return ended.promise
    },
    abandon() {
      open = false
      gathered = ''
      release()
      ended?.release()
    },
  }
}

function createWait(): Wait {
  let release!: () => void
  const promise = new Promise<void>((resolve) => {
    release = resolve
  })
  return { promise, release: () => release() }
}
