import { PortcallError } from '../../../../util/src/errors.ts'

/** Thrown when a program could not be started. */
export class SpawnError extends PortcallError {
  override readonly name = 'SpawnError'
  readonly code = 'SPAWN_FAILED'
  /** A retry does not help. */
  readonly retryable = false
  /** The program. */
  readonly command: string
  /** `command-line` if `command` or `args` are written as for a shell. */
  readonly problem: 'command-line' | undefined

  /** Pass the error of the operating system as `cause`. */
  constructor(
    command: string,
    message: string,
    { problem, ...options }: ErrorOptions & { readonly problem?: 'command-line' | undefined } = {},
  ) {
    super(message, options)
    this.command = command
    this.problem = problem
  }
}
