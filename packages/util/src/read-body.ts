import { concatBytes } from './bytes.ts'

/** Reads the body of a request to `node:http` as text. Resolves to `undefined` as soon as it is longer than `maxBytes`. */
export async function readBody(request: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(concatBytes(chunks, size))
}
