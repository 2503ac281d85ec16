import type { Ending } from './exit.ts'

/** What may be said besides the message. */
export interface StopOptions extends ErrorOptions {
  /** What to do about it. */
  readonly hint?: string | undefined
  /** A name for programs; by default that of the exit code. */
  readonly code?: string | undefined
}

/** Thrown to end the command with an exit code, a line and a hint. */
export class Stop extends Error {
  override readonly name = 'Stop'
  readonly ending: Ending
  readonly hint: string | undefined
  readonly code: string

  constructor(ending: Ending, message: string, { hint, code, ...options }: StopOptions = {}) {
    super(message, options)
    this.ending = ending
    this.hint = hint
    this.code = code ?? ending.toUpperCase()
  }
}

/** Ends the command because its words cannot be understood. */
export function misused(message: string, hint?: string): Stop {
  return new Stop('usage', message, { hint })
}
