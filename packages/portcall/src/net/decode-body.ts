/** Decodes the bodies of responses while they arrive. */
import { pipeline, Readable, type Transform } from 'node:stream'
import zlib from 'node:zlib'
import { InvalidResponseError } from '../jsonrpc/errors.ts'
import { type CodedBody, type ContentCoding, readCodings, unknownCoding } from './content-coding.ts'

/** Creates a stream that removes one coding. `isStream`: the end may be missing. */
type DecoderFactory = (first: number, isStream: boolean) => Transform

const { Z_SYNC_FLUSH, Z_FINISH, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH } = zlib.constants
/** The low bits of the first byte of the format that RFC 9110 calls deflate. Some servers send what is inside of it. */
const ZLIB_METHOD = 8

const flushing = (isStream: boolean): zlib.ZlibOptions => ({
  flush: Z_SYNC_FLUSH,
  finishFlush: isStream ? Z_SYNC_FLUSH : Z_FINISH,
})

const DECODERS: { readonly [coding in ContentCoding]: DecoderFactory | undefined } = {
  gzip: (_first, isStream) => zlib.createGunzip(flushing(isStream)),
  deflate: (first, isStream) =>
    (first & 0x0f) === ZLIB_METHOD ? zlib.createInflate(flushing(isStream)) : zlib.createInflateRaw(flushing(isStream)),
  br: (_first, isStream) =>
    zlib.createBrotliDecompress({
      flush: BROTLI_OPERATION_FLUSH,
      finishFlush: isStream ? BROTLI_OPERATION_FLUSH : BROTLI_OPERATION_FINISH,
    }),
  zstd: zstdFactory(),
}

/** Node has zstd since 22.15 and 23.8; the types of older versions do not. */
function zstdFactory(): DecoderFactory | undefined {
  const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: object) => Transform }
  const { ZSTD_e_flush, ZSTD_e_end } = zlib.constants as { ZSTD_e_flush?: number; ZSTD_e_end?: number }
  if (!createZstdDecompress) return undefined
  return (_first, isStream) => createZstdDecompress({ flush: ZSTD_e_flush, finishFlush: isStream ? ZSTD_e_flush : ZSTD_e_end })
}

/**
 * Yields the decoded bytes of a body as soon as the bytes that they come from arrive. Reads no further than the consumer does, so the memory
 * in use does not depend on how much the body expands. An empty body is not decoded.
 *
 * @throws InvalidResponseError that names the coding, if it is unknown or the body is not valid in it; the errors of the body.
 */
export async function* decodeBody(coded: CodedBody): AsyncGenerator<Uint8Array> {
  const { contentEncoding, displayUrl, isStream } = coded
  const factories = readCodings(coded).map((coding) => DECODERS[coding] ?? throwError(unknownCoding(displayUrl, coding)))
  let bodyError: unknown
  const watched = watchErrors(coded.body, (error) => (bodyError = error))
  try {
    yield* factories.reduce<AsyncIterable<Uint8Array>>((body, create) => decodeOne(body, create, isStream), watched)
  } catch (error) {
    if (bodyError !== undefined) throw bodyError
    const reason = error instanceof Error ? error.message : String(error)
    const message = `${displayUrl} sent a response that is not valid in its content coding ${contentEncoding}: ${reason}`
    throw new InvalidResponseError(message, { cause: error })
  }
}

/** Passes a body on, and tells its own errors from those that a failing decoder throws into it. */
async function* watchErrors(body: AsyncIterable<Uint8Array>, onError: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    chunks.next().catch((error: unknown) => {
      onError(error)
      throw error
    })
  try {
    for (let chunk = await next(); !chunk.done; chunk = await next()) yield chunk.value
  } finally {
    await chunks.return?.()
  }
}

async function* decodeOne(
  body: AsyncIterable<Uint8Array>,
  create: DecoderFactory,
  isStream: boolean,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  let first = await chunks.next()
  while (!first.done && first.value.length === 0) first = await chunks.next()
  if (first.done) return
  const decoder = create(first.value[0] ?? 0, isStream)
  const source = Readable.from(startingWith(first.value, { [Symbol.asyncIterator]: () => chunks }), { objectMode: false })
  // The consumer receives the error from the decoder.
  pipeline(source, decoder, () => {})
  try {
    yield* decoder
  } finally {
    decoder.destroy()
    source.destroy()
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

function throwError(error: Error): never {
  throw error
}
