/** How a line that cannot be read begins and ends, without what ends it. */
export interface Excerpt {
  /** Takes bytes in; the piece may be used again afterwards. */
  push(piece: Uint8Array): void
  /** Gives what was gathered as text, and begins anew. */
  take(): { readonly head: string; readonly tail: string }
  /** Begins anew. */
  clear(): void
}

const NOTHING = new Uint8Array(0)
const RETURN = 13

/** Keeps the first and the last `size` bytes of a line. */
export function createExcerpt(size: number): Excerpt {
  const decoder = new TextDecoder()
  /** One more for the return. */
  const kept = size + 1
  let head: Uint8Array = NOTHING
  let tail: Uint8Array = NOTHING
  const clear = (): void => {
    head = tail = NOTHING
  }

  return {
    clear,
    push(piece) {
      if (head.length < size) head = join(head, piece.subarray(0, size - head.length))
      tail = piece.length > size ? piece.slice(-kept) : join(tail, piece).slice(-kept)
    },
    take() {
      const taken = { head: decoder.decode(withoutReturn(head)), tail: decoder.decode(withoutReturn(tail).subarray(-size)) }
      clear()
      return taken
    },
  }
}

/** A line as it is without the newline, which may have had a return before it. */
export function withoutReturn(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes
}

function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length)
  joined.set(left)
  joined.set(right, left.length)
  return joined
}
