/** A problem of a server. */
export interface Finding {
  /** `error`: some hosts reject it. `warning`: it works, but is worse for models or users. */
  readonly level: 'error' | 'warning'
  /** The stable name of the rule. */
  readonly rule: string
  /** What the finding is about: `tool search`, `server`. */
  readonly where: string
  /** What is wrong. */
  readonly message: string
  /** What to change. */
  readonly advice: string
  /** The hosts and APIs that have the limit, if it is one of theirs. */
  readonly hosts?: readonly string[]
}

/** Reports a finding about one item. */
export type ReportFinding = (level: Finding['level'], rule: string, message: string) => void
