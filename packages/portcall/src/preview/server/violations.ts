/** Reports of browsers about what the policy of a view blocked. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** Something that the policy of a view blocked. */
export interface CspViolation {
  /** The directive, such as `connect-src`. */
  readonly directive: string
  /** The address, or `inline`, `eval`, `wasm-eval`, as the browser names it. */
  readonly blocked: string
  /** The line of the page, if the browser names it. */
  readonly line?: number
}

const MAX_TEXT = 2000

/** Reads a report of the directive `report-uri`. Returns `undefined` for anything else. */
export function readViolation(text: string): CspViolation | undefined {
  const report = parseReport(text)
  if (!report) return undefined
  const directive = report['effective-directive'] ?? report['violated-directive']
  const blocked = report['blocked-uri']
  const line = report['line-number']
  if (typeof directive !== 'string' || typeof blocked !== 'string') return undefined
  return {
    directive: (directive.split(' ', 1)[0] ?? '').slice(0, MAX_TEXT),
    blocked: blocked.slice(0, MAX_TEXT),
    ...(typeof line === 'number' && { line }),
  }
}

function parseReport(text: string): JsonObject | undefined {
  try {
    const body: unknown = JSON.parse(text)
    const report = isObject(body) ? body['csp-report'] : undefined
    return isObject(report) ? report : undefined
  } catch {
    return undefined
  }
}
