/**
 * What is known of an operation that failed: `unsent`, it was never given to the server; `unknown`, the answer is lost; `refused`, the
 * server said no.
 */
export type Fate = 'unsent' | 'unknown' | 'refused'

/** Why something could not be done on a server. Drivers report in many ways; what speaks to them makes this of it. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure'
  readonly fate: Fate

  constructor(fate: Fate, cause: unknown) {
    super(cause instanceof Error ? cause.message || cause.name : String(cause), { cause })
    this.fate = fate
  }
}

/** Makes a failure of what a driver has thrown over something that was sent. */
export function failUnknown(error: unknown): never {
  throw new RemoteFailure('unknown', error)
}
