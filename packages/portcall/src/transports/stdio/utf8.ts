/** Decodes UTF-8 strictly: the result for invalid bytes is undefined. */
export interface Utf8Decoder {
  /** Decodes complete bytes. */
  decode(bytes: Uint8Array): string | undefined
  /** Adds a chunk of a longer text. The caller may reuse the chunk afterwards. */
  push(chunk: Uint8Array): void
  /** Returns the text of all chunks, and resets the decoder. */
  finish(): string | undefined
}

/** Decodes bytes that are all ASCII, faster than `TextDecoder`. Returns undefined for others. */
export type AsciiDecoder = (bytes: Uint8Array) => string | undefined

/** How many bytes are buffered before they are decoded. Most lines are shorter, and are thus decoded at once. */
const MAX_BUFFER_BYTES = 1536 * 1024
const MAX_IDLE_BUFFER_BYTES = 16 * 1024

/** Creates a decoder. A very long text is decoded while it arrives, so its bytes are never in memory as a whole. */
export function createUtf8Decoder(decodeAscii: AsciiDecoder = () => undefined): Utf8Decoder {
  const decoder = createDecoder()
  let buffer: Uint8Array = new Uint8Array(0)
  let length = 0
  /** The buffered bytes at the end of the last text. The next one probably needs a buffer of that size. */
  let lastLength = 0
  let text: string | undefined = ''
  /** Decodes everything from the first bytes that are not ASCII: a character may be split between chunks. */
  let streaming: TextDecoder | undefined

  const append = (bytes: Uint8Array, stream: boolean): void => {
    if (text === undefined) return
    const ascii = streaming ? undefined : decodeAscii(bytes)
    const more = ascii ?? decode((streaming ??= createDecoder()), bytes, stream)
    text = more === undefined ? undefined : text + more
  }
  const flush = (stream: boolean): void => {
    append(buffer.subarray(0, length), stream)
    length = 0
  }
  const enlarge = (needed: number): void => {
    const larger = new Uint8Array(Math.max(needed, Math.min(MAX_BUFFER_BYTES, Math.max(2 * buffer.length, lastLength))))
    larger.set(buffer.subarray(0, length))
    buffer = larger
  }

  return {
    decode: (bytes) => decodeAscii(bytes) ?? decode(decoder, bytes),
    push(chunk) {
      if (length + chunk.length > MAX_BUFFER_BYTES) flush(true)
      if (length + chunk.length > buffer.length) enlarge(length + chunk.length)
      buffer.set(chunk, length)
      length += chunk.length
    },
    finish() {
      lastLength = length
      flush(false)
      if (buffer.length > MAX_IDLE_BUFFER_BYTES) buffer = new Uint8Array(0)
      const result = text
      text = ''
      streaming = undefined
      return result
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
