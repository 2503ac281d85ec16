import { toBase64 } from '../../../../util/src/base64.ts'
import { concatBytes } from '../../../../util/src/bytes.ts'
import { isTextType } from '../../../../util/src/media-type.ts'
import { isObject } from '../../jsonrpc/message.ts'
import type { ReadResourceResult, ResourceContents } from '../../protocol/types.ts'
import type { ByteStream, ResourceReturn } from '../definitions.ts'
import { InvalidOutputError } from '../errors.ts'

export interface ResourceResultOptions {
  readonly uri: string
  readonly mimeType: string | undefined
  /** Maximum number of bytes read from a stream. */
  readonly maxBytes: number
}

/**
 * Converts the return value of a resource handler to a result. A stream becomes text if the MIME type is a text type, otherwise a blob.
 *
 * @throws InvalidOutputError when the value is not convertible; RangeError when a stream exceeds `maxBytes`.
 */
export async function resourceResult(
  value: NonNullable<ResourceReturn>,
  options: ResourceResultOptions,
): Promise<ReadResourceResult> {
  if (Array.isArray(value)) return { contents: value.map(encodeBlob) }
  if (typeof value === 'object' && 'contents' in value)
    return Array.isArray(value.contents) ? { ...value, contents: value.contents.map(encodeBlob) } : value
  return { contents: [await toContents(value, options)] }
}

async function toContents(value: unknown, { uri, mimeType, maxBytes }: ResourceResultOptions): Promise<ResourceContents> {
  const common = mimeType === undefined ? { uri } : { uri, mimeType }
  // Spreading `common` would give each result a hidden class of its own on Node 20, which makes everything that reads it slow.
  if (typeof value === 'string') return Object.assign(common, { text: value })
  const bytes = bytesOf(value)
  if (bytes) return Object.assign(common, { blob: toBase64(bytes) })
  if (value instanceof Blob) {
    const type = mimeType ?? (value.type || undefined)
    return toContents(value.stream(), { uri, mimeType: type, maxBytes })
  }
  if (isStream(value)) {
    const bytes = await readStream(value, maxBytes)
    return mimeType !== undefined && isTextType(mimeType)
      ? { ...common, text: new TextDecoder().decode(bytes) }
      : { ...common, blob: toBase64(bytes) }
  }
  if (isObject(value) && value.blob instanceof Blob) {
    const read = await readStream(value.blob.stream(), maxBytes)
    return { ...common, ...value, blob: toBase64(read) } as ResourceContents
  }
  if (isObject(value) && (typeof value.text === 'string' || typeof value.blob === 'string' || bytesOf(value.blob)))
    return encodeBlob({ ...common, ...value } as ResourceContents)
  throw new InvalidOutputError('A resource must return text, bytes, a stream, contents or a result with `contents`')
}

/** Returns the bytes of an `ArrayBuffer` or of a view of one, without copying them. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined
}

/** Returns contents with a `blob` of bytes as Base64, and others unchanged. */
function encodeBlob(contents: ResourceContents): ResourceContents {
  const bytes = isObject(contents) ? bytesOf(contents.blob) : undefined
  return bytes ? ({ ...contents, blob: toBase64(bytes) } as ResourceContents) : contents
}

function isStream(value: unknown): value is ByteStream {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || 'getReader' in value)
}

/** Reads a stream to its end, or cancels it and throws a RangeError above `maxBytes`. */
async function readStream(stream: ByteStream, maxBytes: number): Promise<Uint8Array> {
  const encoder = new TextEncoder()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunksOf(stream)) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    length += bytes.length
    if (length > maxBytes) throw new RangeError(`The resource is larger than ${maxBytes} bytes`)
    chunks.push(bytes)
  }
  return concatBytes(chunks, length)
}

async function* chunksOf(stream: ByteStream): AsyncGenerator<Uint8Array | string> {
  if (Symbol.asyncIterator in stream) return yield* stream as AsyncIterable<Uint8Array | string>
  const reader = (stream as ReadableStream<Uint8Array>).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel()
  }
}
