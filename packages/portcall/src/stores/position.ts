/** Names an entry of a log: the name of the log, and the number of the entry in it. */
export const positionOf = (name: string, number: number): string => `${name}-${number}`

/** The number in a position; `undefined` for what is no position of ours. */
export function numberIn(position: string): number | undefined {
  const digits = /-(0|[1-9]\d{0,14})$/.exec(position.slice(-17))?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** A name that no log has had. */
export const newName = (): string => crypto.randomUUID().slice(0, 18)
