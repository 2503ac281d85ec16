import type { ExitReason } from './exit-codes.ts'

export interface CliErrorOptions extends ErrorOptions {
  /** The advice. */
  readonly hint?: string | undefined
  /** The code in JSON output. Default: the exit reason in upper case. */
  readonly code?: string | undefined
  /** More lines, which are written below the message. */
  readonly details?: readonly string[] | undefined
}

/** Thrown to end the command with an exit code, a message and a hint. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitReason: ExitReason
  readonly hint: string | undefined
  readonly code: string
  readonly details: readonly string[]

  constructor(exitReason: ExitReason, message: string, { hint, code, details = [], ...options }: CliErrorOptions = {}) {
    super(message, options)
    this.exitReason = exitReason
    this.hint = hint
    this.code = code ?? exitReason.toUpperCase()
    this.details = details
  }
}

/** Creates the error for a file that cannot be read. */
export function unreadable(path: string, error: unknown): CliError {
  const { code, message } = error as NodeJS.ErrnoException
  return usageError(`cannot read ${path}: ${code === 'ENOENT' ? 'no such file' : message}`)
}

/** Creates the error for an invalid command line. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError('usage', message, { hint })
}
