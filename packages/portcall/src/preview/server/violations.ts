/** Reports of browsers about what the policy of a view blocked. */
import { parseUrl } from '../../../../util/src/parse-url.ts'
import { isViewHost } from '../../apps/host/sandbox-url.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** Something that the policy of a view blocked. */
export interface CspViolation {
  /** The directive, such as `connect-src`. */
  readonly directive: string
  /** The address, or `inline`, `eval`, `wasm-eval`, as the browser names it. */
  readonly blocked: string
  /** The line of the page, if the browser names it. */
  readonly line?: number
  /** True if the view tried to show another page in its own frame. */
  readonly isNavigation?: boolean
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
  const page = parseUrl(String(report['document-uri']))
  // The proxy page frames the view, so that it is the one that refuses another page in that frame.
  const isNavigation =
    directive.startsWith('frame-src') && page?.protocol.startsWith('http') === true && !isViewHost(page.hostname)
  return {
    directive: (directive.split(' ', 1)[0] ?? '').slice(0, MAX_TEXT),
    blocked: blocked.slice(0, MAX_TEXT),
    ...(typeof line === 'number' && { line }),
    ...(isNavigation && { isNavigation }),
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
