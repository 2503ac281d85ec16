import { createRedactor } from '../../../portcall/src/recording/redact.ts'
import type { StoredEntry } from '../timeline/timeline.ts'

/** Replaces secrets in a text. */
export function redactText(text: string): string {
  return String(createRedactor()(text))
}

const REDACTION = /"([^"\\]+)":\s*"\[redacted/g

/** Counts what is redacted, by the name of the member. */
export function countRedactions(stored: readonly StoredEntry[]): { readonly name: string; readonly count: number }[] {
  const redact = createRedactor()
  const counts = new Map<string, number>()
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const { entry, details } of stored) {
    if (entry.type === 'http')
      for (const [name, value] of Object.entries({ ...entry.requestHeaders, ...entry.responseHeaders }))
        if (value.includes('••••')) count(name)
    if (entry.type !== 'message' && entry.type !== 'view') continue
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
