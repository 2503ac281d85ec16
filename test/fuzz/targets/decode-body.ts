/** Compressed bodies: any bytes are decoded or refused, and what was encoded is decoded to itself, however it is cut. */
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { InvalidResponseError } from '../../../packages/portcall/src/jsonrpc/errors.ts'
import { decodeBody } from '../../../packages/portcall/src/net/decode-body.ts'
import { check, pieces, splitInput } from './pieces.ts'

const MAX_BYTES = 1 << 20
const ENCODERS = {
  gzip: gzipSync,
  deflate: deflateSync,
  'x-gzip': gzipSync,
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
}

async function* streamOf(chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

/** Decodes a body up to a limit. */
async function decode(contentEncoding: string, chunks: Buffer[], isStream = false): Promise<Buffer> {
  const decoded: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of decodeBody({ body: streamOf(chunks), contentEncoding, displayUrl: 'https://x.test', isStream })) {
    decoded.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_BYTES) break
  }
  return Buffer.concat(decoded)
}

export async function fuzz(data: Buffer): Promise<void> {
  const [control, bytes] = splitInput(data)
  const names = Object.keys(ENCODERS)
  for (const contentEncoding of [control.toString('latin1'), names[(control[0] ?? 0) % names.length] ?? ''])
    for (const isStream of [false, true])
      try {
        await decode(contentEncoding, pieces(bytes, control), isStream)
      } catch (error) {
        check(error instanceof InvalidResponseError, 'bytes are refused with InvalidResponseError')
      }
  for (const [coding, encode] of Object.entries(ENCODERS))
    check((await decode(coding, pieces(encode(bytes), control))).equals(bytes), `${coding} is decoded to what was encoded`)
  check(
    (await decode('deflate', pieces(deflateRawSync(bytes), control))).equals(bytes) || bytes.length === 0,
    'deflate may be raw',
  )
}
