/** Splits bytes into pieces whose sizes are the bytes of `sizes`, over and over. */
export function pieces(bytes: Buffer, sizes: Buffer): Buffer[] {
  const result: Buffer[] = []
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = 1 + ((sizes[index % Math.max(1, sizes.length)] ?? 0) % 64)
    result.push(bytes.subarray(at, at + size))
    at += size
  }
  return result
}

/** Splits an input at its first NUL byte: what steers the test, and what is parsed. */
export function splitInput(data: Buffer): [control: Buffer, rest: Buffer] {
  const at = data.indexOf(0)
  return at < 0 ? [Buffer.alloc(0), data] : [data.subarray(0, at), data.subarray(at + 1)]
}

/** Returns what a function throws, or `undefined`. */
export function thrownBy(run: () => unknown): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}

/** @throws Error if a property does not hold. */
export function check(holds: boolean, property: string): asserts holds {
  if (!holds) throw new Error(`Violated: ${property}`)
}
