/** Reads UTF-8 strictly: bytes that are none give `undefined`. */
export interface Utf8Reader {
  /** Reads bytes that are whole. */
  read(bytes: Uint8Array): string | undefined
  /** Takes in a piece of something longer; it may be used again afterwards. */
  push(piece: Uint8Array): void
  /** Gives the text of all pieces, and begins anew. */
  take(): string | undefined
}

/** Reads bytes that are all ASCII faster than a decoder does; nothing for others. */
export type ReadAscii = (bytes: Uint8Array) => string | undefined

/** How much is gathered at most before it becomes text: most lines are shorter, and one text instead of several. */
const GATHERED_BYTES = 1536 * 1024
const IDLE_BYTES = 16 * 1024

/** Makes a reader. Of something very long the pieces become text as they come: its bytes are never there as a whole. */
export function createUtf8Reader(readAscii: ReadAscii = () => undefined): Utf8Reader {
  const decoder = createDecoder()
  let gathered: Uint8Array = new Uint8Array(0)
  let length = 0
  /** How much was left of the last one at its end: the next one most likely needs as much room. */
  let usual = 0
  let text: string | undefined = ''
  /** Reads what comes from the first bytes on that are not ASCII: a character may be cut in two. */
  let continuing: TextDecoder | undefined

  const append = (bytes: Uint8Array, stream: boolean): void => {
    if (text === undefined) return
    const ascii = continuing ? undefined : readAscii(bytes)
    const more = ascii ?? decode((continuing ??= createDecoder()), bytes, stream)
    text = more === undefined ? undefined : text + more
  }
  const flush = (stream: boolean): void => {
    append(gathered.subarray(0, length), stream)
    length = 0
  }
  const enlarge = (room: number): void => {
    const larger = new Uint8Array(Math.max(room, Math.min(GATHERED_BYTES, Math.max(2 * gathered.length, usual))))
    larger.set(gathered.subarray(0, length))
    gathered = larger
  }

  return {
    read: (bytes) => readAscii(bytes) ?? decode(decoder, bytes),
    push(piece) {
      if (length + piece.length > GATHERED_BYTES) flush(true)
      if (length + piece.length > gathered.length) enlarge(length + piece.length)
      gathered.set(piece, length)
      length += piece.length
    },
    take() {
      usual = length
      flush(false)
      if (gathered.length > IDLE_BYTES) gathered = new Uint8Array(0)
      const taken = text
      text = ''
      continuing = undefined
      return taken
    },
  }
}

const createDecoder = (): TextDecoder => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(decoder: TextDecoder, bytes: Uint8Array, stream = false): string | undefined {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    return undefined
  }
}
