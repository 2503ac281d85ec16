import { isObject } from '../../jsonrpc/message.ts'
import { createRedactor } from '../../testing/recording/redact.ts'
import type { StoredEntry } from '../timeline/timeline.ts'
import { isSecretHeader } from '../wire/mask.ts'

/** Secrets in text, by their well-known shapes. */
const SHAPES: readonly RegExp[] = [
  /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[\w-]{16,}/g,
  /\bgh[pousr]_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
  /\bya29\.[\w-]{20,}/g,
  /\bnpm_\w{30,}/g,
  /\bhf_\w{20,}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
  /(?<=:\/\/[^\s/:@]{1,100}:)[^\s/@]{1,200}(?=@)/g,
  /(?<=[?&](?:access_token|token|api_?key|key|code|secret|sig|signature|password|auth)=)[^&\s"#]+/gi,
  /(?<=\b(?:password|passwd|secret|api[-_]?key|token|client_secret)["']?\s*[=:]\s*["']?)[^\s"',;}]{4,}/gi,
  /(?<=\bBasic\s+)[A-Za-z0-9+/]{8,}=*/g,
]

/** Members whose names look like secrets, besides those of the testing kit. */
const NAMES = /(^|[-_.])(token|secret|passw(or)?d|api[-_]?key|credentials?|private[-_]?key|session[-_]?(id|key)?|cookie)$/i
/** Members of the protocol that only look like secrets. */
const HARMLESS: ReadonlySet<string> = new Set(['progressToken', 'nextCursor', 'cursor'])

/** Creates the redaction of everything that is shared: secret members, secret headers, and secrets by their shape in any text. */
export function createShareRedactor(): (value: unknown) => unknown {
  const known = createRedactor()
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return redactText(value)
    if (Array.isArray(value)) return value.map(redact)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, isSecretMember(key, member) ? REDACTED : redact(member)]),
    )
  }
  return (value) => redact(known(value))
}

const REDACTED = '[redacted]'

function isSecretMember(name: string, value: unknown): boolean {
  if (HARMLESS.has(name) || value === null || typeof value === 'object' || typeof value === 'boolean') return false
  return (NAMES.test(name) || isSecretHeader(name)) && !String(value).startsWith('[redacted')
}

/** Replaces secrets in a text by their shapes. */
export function redactText(text: string): string {
  return SHAPES.reduce((redacted, shape) => redacted.replace(shape, REDACTED), text)
}

const REDACTION = /"([^"\\]+)":\s*"\[redacted/g

/** Counts what is redacted, by the name of the member. */
export function countRedactions(stored: readonly StoredEntry[]): { readonly name: string; readonly count: number }[] {
  const redact = createShareRedactor()
  const counts = new Map<string, number>()
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const { entry, details } of stored) {
    if (entry.type === 'http')
      for (const [name, value] of Object.entries({ ...entry.requestHeaders, ...entry.responseHeaders }))
        if (value.includes('••••')) count(name)
    if (entry.type !== 'message') continue
    const text = details.text ?? entry.text
    const redacted = JSON.stringify(redact(parseOr(text)))
    for (const [, name = ''] of redacted.matchAll(REDACTION)) count(name)
    const inText = (redacted.match(/\[redacted/g)?.length ?? 0) - (redacted.match(REDACTION)?.length ?? 0)
    for (let index = 0; index < inText; index++) count('text')
  }
  return [...counts].map(([name, total]) => ({ name, count: total })).sort((a, b) => b.count - a.count)
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
