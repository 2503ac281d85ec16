/** How something too long to keep begins and ends. */
export interface Excerpt {
  /** Takes bytes in; the piece may be used again afterwards. */
  push(piece: Uint8Array): void
  /** Gives what was gathered as text, and begins anew. */
  take(): { readonly head: string; readonly tail: string }
  /** Begins anew. */
  clear(): void
}

const NOTHING = new Uint8Array(0)

/** Keeps the first and the last `size` bytes of what it is given. */
export function createExcerpt(size: number): Excerpt {
  const decoder = new TextDecoder()
  let head: Uint8Array = NOTHING
  let tail: Uint8Array = NOTHING
  const clear = (): void => {
    head = tail = NOTHING
  }

  return {
    clear,
    push(piece) {
      if (head.length < size) head = join(head, piece.subarray(0, size - head.length))
      tail = piece.length >= size ? piece.slice(-size) : join(tail, piece).slice(-size)
    },
    take() {
      const taken = { head: decoder.decode(head), tail: decoder.decode(tail) }
      clear()
      return taken
    },
  }
}

function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  const joined = new Uint8Array(left.length + right.length)
  joined.set(left)
  joined.set(right, left.length)
  return joined
}
