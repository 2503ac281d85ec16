/** The effect of a host's limit on a tool that exceeds it. `changes`: the host shortens or renames the tool. */
export type HostEffect = 'changes' | 'refuses'

/** A limit of a host that a tool exceeds. */
export interface HostProblem {
  /** The effect on the tool. */
  readonly effect: HostEffect
  /** The tool, if it is about one. */
  readonly tool?: string
  /** The rule of `portcall check` that reports it. */
  readonly rule: string
  /** The reason. */
  readonly message: string
  /** A change that avoids it. */
  readonly advice: string
  /** The address of the public document or the issue that says so. */
  readonly source: string
}

/** The verdict of a host on the tools of a server. */
export interface HostVerdict {
  /** The name of the host. */
  readonly host: string
  /** `accepts`, if there are no problems; otherwise the worst of them. */
  readonly verdict: 'accepts' | HostEffect
  /** The problems, in the order of the tools. */
  readonly problems: readonly HostProblem[]
}
