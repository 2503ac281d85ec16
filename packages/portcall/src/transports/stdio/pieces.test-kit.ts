const NEWLINE = 10

/** Cuts bytes into pieces of these sizes, in turn; the next piece overwrites the one before it with newlines and itself. */
export function* cut(whole: Uint8Array, sizes: readonly number[]): Iterable<Uint8Array> {
  const shared = new Uint8Array(1 + Math.max(0, ...sizes))
  let start = 0
  for (let step = 0; start < whole.length; step++) {
    const piece = whole.subarray(start, start + (sizes[step % sizes.length] ?? whole.length))
    shared.fill(NEWLINE)
    shared.set(piece)
    yield shared.subarray(0, piece.length)
    start += piece.length
  }
}
