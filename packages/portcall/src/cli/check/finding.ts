/** Something about a server that its author should know. */
export interface Finding {
  /** `error`: some host refuses it. `warning`: it works, and models or people are worse off. */
  readonly level: 'error' | 'warning'
  /** A stable name of what was looked for. */
  readonly rule: string
  /** What it is about: `tool search`, `server`. */
  readonly where: string
  readonly message: string
}

/** Makes findings about one thing. */
export type Report = (level: Finding['level'], rule: string, message: string) => void
