import { errorMessage } from '../../../util/src/errors.ts'
import { CliError } from '../cli-error.ts'

/** Returns what an error says, with all its lines. */
export function describeError(error: unknown): string {
  if (error instanceof CliError) return [error.message, ...error.details].join('\n')
  return errorMessage(error)
}
