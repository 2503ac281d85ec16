import type { ByteStream } from './define.ts'

const CHUNK = 0x8000

/** Base64 (RFC 4648, section 4) of bytes. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += CHUNK) binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK))
  return btoa(binary)
}

/** Tells whether a value can be read piece by piece. */
export function isStream(value: unknown): value is ByteStream {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || 'getReader' in value)
}

/** Reads a stream to its end. @throws RangeError above `maxBytes`; the stream is given up then. */
export async function readStream(stream: ByteStream, maxBytes: number): Promise<Uint8Array> {
  const encoder = new TextEncoder()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of pieces(stream)) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    length += bytes.length
    if (length > maxBytes) throw new RangeError(`The resource has more than ${maxBytes} bytes`)
    chunks.push(bytes)
  }
  const whole = new Uint8Array(length)
  let offset = 0
  for (const bytes of chunks) {
    whole.set(bytes, offset)
    offset += bytes.length
  }
  return whole
}

async function* pieces(stream: ByteStream): AsyncGenerator<Uint8Array | string> {
  if (Symbol.asyncIterator in stream) return yield* stream as AsyncIterable<Uint8Array | string>
  const reader = (stream as ReadableStream<Uint8Array>).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel()
  }
}
