/** A problem of a server. */
export interface Finding {
  /** `error`: some hosts reject it. `warning`: it works, but is worse for models or users. */
  readonly level: 'error' | 'warning'
  /** The stable name of the rule. */
  readonly rule: string
  /** The subject of the finding: `tool search`, `server`. */
  readonly where: string
  /** The fault. */
  readonly message: string
  /** The change that it needs. */
  readonly advice: string
  /** The hosts and APIs that have the limit, if it is one of theirs. */
  readonly hosts?: readonly string[]
}

/** Reports a finding about one item. */
export type ReportFinding = (level: Finding['level'], rule: string, message: string) => void
