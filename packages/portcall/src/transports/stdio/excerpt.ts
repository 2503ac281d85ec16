/** Collects the start and the end of a line that cannot be parsed, without its line break. */
export interface Excerpt {
  /** Adds bytes. The caller may reuse the chunk afterwards. */
  push(chunk: Uint8Array): void
  /** Returns the start as text. */
  head(): string
  /** Returns the start and the end as text, and resets the excerpt. */
  finish(): { readonly head: string; readonly tail: string }
  /** Resets the excerpt. */
  clear(): void
}

const EMPTY = new Uint8Array(0)
const CR = 13

/** Creates an excerpt of the first and the last `size` bytes of a line. */
export function createExcerpt(size: number): Excerpt {
  const decoder = new TextDecoder()
  /** One more byte for the CR. */
  const tailSize = size + 1
  let head: Uint8Array = EMPTY
  let tail: Uint8Array = EMPTY
  const clear = (): void => {
    head = tail = EMPTY
  }

  const readHead = (): string => decoder.decode(trimCr(head))

  return {
    clear,
    head: readHead,
    push(chunk) {
      if (head.length < size) head = join(head, chunk.subarray(0, size - head.length))
      tail = chunk.length > size ? chunk.slice(-tailSize) : join(tail, chunk).slice(-tailSize)
    },
    finish() {
      const excerpt = { head: readHead(), tail: decoder.decode(trimCr(tail).subarray(-size)) }
      clear()
      return excerpt
    },
  }
}

/** Removes the CR that precedes the LF of a line. */
export function trimCr(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes
}

function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length)
  joined.set(left)
  joined.set(right, left.length)
  return joined
}
