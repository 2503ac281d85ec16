/** Runs what has the same name one after another. */
export type Turns = <T>(name: string, run: () => Promise<T>) => Promise<T>

/** Makes turns; a name is remembered while something of it runs or waits. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  return (name, run) => {
    const running = (last.get(name) ?? Promise.resolve()).then(run)
    const over = running
      .then(() => {})
      .catch(() => {})
      .then(() => {
        if (last.get(name) === over) last.delete(name)
      })
    last.set(name, over)
    return running
  }
}
