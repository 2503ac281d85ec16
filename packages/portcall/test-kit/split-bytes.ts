const LF = 10

/** Splits bytes into chunks of these sizes, in turn. All chunks share one buffer, so each overwrites the previous one. */
export function* splitBytes(whole: Uint8Array, sizes: readonly number[]): Iterable<Uint8Array> {
  const shared = new Uint8Array(1 + Math.max(0, ...sizes))
  let start = 0
  for (let step = 0; start < whole.length; step++) {
    const chunk = whole.subarray(start, start + (sizes[step % sizes.length] ?? whole.length))
    shared.fill(LF)
    shared.set(chunk)
    yield shared.subarray(0, chunk.length)
    start += chunk.length
  }
}
