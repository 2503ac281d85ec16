/** Bytes that arrive in pieces. Even single bytes take no more than twice their size, and linear time. */
export interface ByteBuffer {
  readonly length: number
  push(bytes: Uint8Array): void
  /** Returns all bytes and removes them. */
  take(): Buffer
}

/** Creates an empty buffer. */
export function createByteBuffer(): ByteBuffer {
  let buffer = EMPTY
  let length = 0
  return {
    get length() {
      return length
    },
    push(bytes) {
      const needed = length + bytes.length
      if (needed > buffer.length) {
        // The first bytes are often all, and later ones are not.
        const larger = Buffer.allocUnsafe(length === 0 ? needed : needed * 2)
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      buffer.set(bytes, length)
      length = needed
    },
    take() {
      const bytes = buffer.subarray(0, length)
      buffer = EMPTY
      length = 0
      return bytes
    },
  }
}

const EMPTY: Buffer = Buffer.alloc(0)
