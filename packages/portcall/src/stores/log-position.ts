/** Returns the position of an entry: the name of its log and the number of the entry in it. */
export const positionOf = (logName: string, number: number): string => `${logName}-${number}`

/** Returns the entry number of a position, or `undefined` if the text is not a position. */
export function entryNumberOf(position: string): number | undefined {
  const digits = /-(0|[1-9]\d{0,14})$/.exec(position.slice(-17))?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Returns a unique name for a log, so that positions of a deleted log are unknown to its successor under the same key. */
export const createLogName = (): string => crypto.randomUUID().slice(0, 18)
