/** What a host does with a tool that exceeds one of its limits. `changes`: it shortens or renames it. */
export type HostEffect = 'changes' | 'refuses'

/** A limit of a host that a tool exceeds. */
export interface HostProblem {
  /** What the host does. */
  readonly effect: HostEffect
  /** The tool, if it is about one. */
  readonly tool?: string
  /** The rule of `portcall check` that reports it. */
  readonly rule: string
  /** Why. */
  readonly message: string
  /** What to change. */
  readonly advice: string
  /** The address of the public document or the issue that says so. */
  readonly source: string
}

/** What a host makes of the tools of a server. */
export interface HostVerdict {
  /** The name of the host. */
  readonly host: string
  /** `accepts`, if there are no problems; otherwise the worst of them. */
  readonly verdict: 'accepts' | HostEffect
  /** The problems, in the order of the tools. */
  readonly problems: readonly HostProblem[]
}
