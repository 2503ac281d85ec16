/** Work that needs the connections of a server until it has ended. */
export interface Holds {
  readonly isEmpty: boolean
  /** Adds work. The promise must not reject. */
  add(until: Promise<unknown>): void
}

export function createHolds(): Holds {
  let count = 0
  return {
    get isEmpty() {
      return count === 0
    },
    add(until) {
      count++
      void until.then(() => count--)
    },
  }
}
