/**
 * Reads a body in chunks, so that an endless one is cut off and not buffered. Returns `undefined`, and cancels the body, as soon as it is larger
 * than `maxBytes`.
 */
export async function readBytes(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const reader = body?.getReader()
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    size += chunk.value.byteLength
    if (size > maxBytes) {
      reader?.cancel().catch(() => {})
      return undefined
    }
    chunks.push(chunk.value)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}
