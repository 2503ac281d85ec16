import zlib from 'node:zlib'
import { expect, test } from 'vitest'
import { isCoded } from './content-coding.ts'
import { decodeBody } from './decode-body.ts'

const TEXT = `${'compress me, please. '.repeat(5000)}ü€😀`
const PLAIN = Buffer.from(TEXT)
const zstdCompressSync = (zlib as { zstdCompressSync?: (bytes: Uint8Array) => Buffer }).zstdCompressSync

const CODED: readonly (readonly [contentEncoding: string, bytes: Buffer])[] = [
  ['gzip', zlib.gzipSync(PLAIN)],
  ['GZIP', zlib.gzipSync(PLAIN)],
  ['x-gzip', zlib.gzipSync(PLAIN)],
  ['deflate', zlib.deflateSync(PLAIN)],
  ['deflate', zlib.deflateRawSync(PLAIN)],
  ['deflate', zlib.deflateRawSync(PLAIN, { level: 0 })],
  ['br', zlib.brotliCompressSync(PLAIN)],
  ...(zstdCompressSync ? [['zstd', zstdCompressSync(PLAIN)] as const] : []),
  ...['identity', 'none', 'UTF-8', 'utf8', 'binary', '8bit'].map((name) => [name, PLAIN] as const),
  ['utf-8, gzip', zlib.gzipSync(PLAIN)],
  [' gzip , identity', zlib.gzipSync(PLAIN)],
  ['deflate, gzip', zlib.gzipSync(zlib.deflateSync(PLAIN))],
  ['gzip,br', zlib.brotliCompressSync(zlib.gzipSync(PLAIN))],
  ['gzip, gzip, gzip, gzip', [1, 2, 3, 4].reduce<Buffer>((bytes) => zlib.gzipSync(bytes), PLAIN)],
  ['gzip', Buffer.concat([zlib.gzipSync(PLAIN.subarray(0, 1000)), zlib.gzipSync(PLAIN.subarray(1000))])],
]

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve()
    yield bytes.subarray(at, at + size)
  }
}

function decode(contentEncoding: string, body: AsyncIterable<Uint8Array>, isStream = false): AsyncGenerator<Uint8Array> {
  return decodeBody({ body, contentEncoding, isStream, displayUrl: 'https://example.com/mcp' })
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString()
}

test.each(CODED)('%s is decoded, however the bytes are divided', async (contentEncoding, bytes) => {
  for (const size of [1, 2, 3, 1000, bytes.length]) {
    if (bytes.length / size > 20_000) continue
    expect(await readAll(decode(contentEncoding, inChunks(bytes, size)))).toBe(TEXT)
  }
})

test.each(CODED)('%s: a body without bytes is empty', async (contentEncoding) => {
  expect(await readAll(decode(contentEncoding, inChunks(Buffer.alloc(0), 1)))).toBe('')
})

const COMPRESSED = CODED.filter(([contentEncoding]) => isCoded(contentEncoding))

test.each(COMPRESSED)('%s: a body that ends too early or is damaged fails with the name of the coding', async (coding, bytes) => {
  const damaged = Buffer.from(bytes)
  damaged.fill(0xff, Math.floor(damaged.length / 3))
  for (const body of [bytes.subarray(0, bytes.length >> 1), damaged, Buffer.from('{"plain":true}')]) {
    const error = await readAll(decode(coding, inChunks(body, 100))).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'INVALID_RESPONSE', message: expect.stringContaining(`coding ${coding}`) })
  }
})

test.each(COMPRESSED)('%s: a stream may end without the end of its coding', async (contentEncoding, bytes) => {
  if (contentEncoding.includes(',')) return
  const text = await readAll(decode(contentEncoding, inChunks(bytes.subarray(0, bytes.length - 1), 100), true))
  expect(TEXT.startsWith(text.slice(0, -4))).toBe(true)
})

test.each(['foo', 'compress', 'gzip, foo', '__proto__', 'aws-chunked'])('the unknown coding %s is named', async (coding) => {
  const error = await readAll(decode(coding, inChunks(PLAIN, 1000))).catch((reason: unknown) => reason)
  const name = coding.split(', ').at(-1)
  expect(error).toMatchObject({ code: 'INVALID_RESPONSE', message: expect.stringContaining(`content coding "${name}"`) })
})

test('a chain of more than four codings is refused', async () => {
  const decoding = readAll(decode('gzip,gzip,gzip,gzip,gzip', inChunks(PLAIN, 1000)))
  await expect(decoding).rejects.toMatchObject({
    code: 'INVALID_RESPONSE',
    message: expect.stringContaining('5 content codings'),
  })
})

test('errors of the connection are passed on as they are', async () => {
  const broken = new Error('the connection broke')
  const body = (async function* (): AsyncGenerator<Uint8Array> {
    yield zlib.gzipSync(PLAIN).subarray(0, 100)
    throw broken
  })()
  await expect(readAll(decode('gzip', body))).rejects.toBe(broken)
})

const FLUSHING = {
  gzip: () => zlib.createGzip(),
  deflate: () => zlib.createDeflate(),
  br: () => zlib.createBrotliCompress(),
} as const

test.each(Object.keys(FLUSHING) as (keyof typeof FLUSHING)[])(
  '%s: what was flushed is yielded before more arrives',
  async (coding) => {
    const compressor = FLUSHING[coding]()
    const chunks = decode(coding, compressor, true)
    for (const text of ['data: one\n\n', 'data: two\n\n', 'data: three\n\n']) {
      compressor.write(text)
      compressor.flush()
      let received = ''
      while (received.length < text.length) received += Buffer.from((await chunks.next()).value).toString()
      expect(received).toBe(text)
    }
    compressor.end()
    expect((await chunks.next()).done).toBe(true)
  },
)

test('reads no further than its consumer, so that a body which expands a thousandfold needs little memory', async () => {
  const bomb = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(256 * 1024 * 1024)))
  let taken = 0
  const body = (async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of inChunks(bomb, 16)) {
      taken += chunk.length
      yield chunk
    }
  })()
  const chunks = decode('gzip, gzip', body)
  const before = process.memoryUsage().rss
  let received = 0
  while (received < 1024 * 1024) received += (await chunks.next()).value.length
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  expect(received).toBeLessThan(2 * 1024 * 1024)
  await chunks.return(undefined)
  expect(taken).toBeLessThanOrEqual(bomb.length)
})
