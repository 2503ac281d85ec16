import type { Ending } from './exit.ts'
import { EXIT } from './exit.ts'
import { failureOf } from './failure.ts'
import { plainLine } from './show/plain.ts'

/** Tells an error on one line of stderr, for people or as JSON; returns how the command ends. */
export function tell(error: unknown, isJson: boolean): Ending {
  const { ending, code, message, hint, data } = failureOf(error)
  const line = isJson
    ? JSON.stringify({
        error: { code, message, ...(hint !== undefined && { hint }), ...(data !== undefined && { data }), exit: EXIT[ending] },
      })
    : plainLine(`portcall: ${message}${hint === undefined ? '' : ` (${hint})`}`)
  process.stderr.write(`${line}\n`)
  return ending
}
