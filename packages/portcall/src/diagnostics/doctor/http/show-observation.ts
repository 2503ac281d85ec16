import { createRedactor } from '../../../recording/redact.ts'
import type { HttpObservation } from '../facts.ts'
import type { Evidence } from '../types.ts'

const MAX_BODY = 400
/** The response headers that explain most problems. */
const TELLING = [
  'content-type',
  'location',
  'www-authenticate',
  'allow',
  'server',
  'via',
  'retry-after',
  'mcp-session-id',
  'cf-mitigated',
  'ngrok-error-code',
  'access-control-allow-origin',
]

/** Returns what happened to a request as evidence: the status line, the telling headers and the start of the body. Secrets are masked. */
export function showObservation(observation: HttpObservation, label: string): Evidence[] {
  const { method, url, status, body, bytes, error, durationMs } = observation
  const redact = createRedactor()
  const text = (value: unknown): string => String(redact(value))
  const headers = redact(observation.headers) as Record<string, string>
  const shown = TELLING.filter((name) => headers[name] !== undefined).map((name) => `${name}: ${headers[name]}`)
  const head = status === undefined ? `no response (${error?.code || error?.message})` : `HTTP ${status}`
  const lines = [
    `${method} ${url.pathname} → ${head} after ${durationMs} ms`,
    ...shown,
    ...(status !== undefined && error ? [`The response broke off: ${error.code || error.message}`] : []),
    ...(bytes > 0 ? [`${bytes} bytes: ${text(body.slice(0, MAX_BODY)).trim()}${body.length > MAX_BODY ? '…' : ''}`] : []),
  ]
  return [{ label, value: lines.join('\n') }]
}
