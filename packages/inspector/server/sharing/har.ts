import type { HttpEntry } from '../protocol/timeline.ts'
import type { StoredEntry } from '../timeline/timeline.ts'
import type { ExportInput } from './export-input.ts'

/** Writes the HTTP exchanges as HAR 1.2. http://www.softwareishard.com/blog/har-12-spec/ */
export function toHar({ stored, parts, redact }: ExportInput): string {
  const bodies = bodiesOf(stored)
  const entries = stored.flatMap(({ entry }) => (entry.type === 'http' ? [toEntry(entry, bodies.get(entry.httpId), redact)] : []))
  const { name, version } = parts.options.info
  return `${JSON.stringify({ log: { version: '1.2', creator: { name, version }, entries } }, null, 2)}\n`
}

/** The texts of the messages that an exchange carried. */
interface Bodies {
  readonly out: string[]
  readonly in: string[]
}

function bodiesOf(stored: readonly StoredEntry[]): Map<number, Bodies> {
  const bodies = new Map<number, Bodies>()
  for (const { entry, details } of stored) {
    if (entry.type !== 'message' || entry.httpId === undefined) continue
    const found = bodies.get(entry.httpId) ?? { out: [], in: [] }
    found[entry.direction].push(details.text ?? entry.text)
    bodies.set(entry.httpId, found)
  }
  return bodies
}

function toEntry(entry: HttpEntry, bodies: Bodies | undefined, redact: ExportInput['redact']): object {
  const { method, url, status = 0, headMs = 0, durationMs = headMs, responseHeaders = {} } = entry
  const sent = redactBody(bodies?.out ?? [], redact)
  const isStream = responseHeaders['content-type']?.startsWith('text/event-stream') === true
  const texts = (bodies?.in ?? []).map((text) => redactBody([text], redact))
  const received = isStream
    ? texts.map((text) => `data: ${text}\n\n`).join('')
    : texts.join('') || String(redact(entry.bodyText ?? ''))
  const safeUrl = new URL(String(redact(url)))
  // What stands for a secret may be written with characters that an address does not have.
  safeUrl.search = safeUrl.searchParams.toString()
  return {
    startedDateTime: new Date(entry.time).toISOString(),
    time: durationMs,
    request: {
      method,
      url: safeUrl.href,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(entry.requestHeaders, redact),
      queryString: [...safeUrl.searchParams].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: Buffer.byteLength(sent),
      ...(sent !== '' && { postData: { mimeType: 'application/json', text: sent } }),
    },
    response: {
      status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairs(responseHeaders, redact),
      content: { size: Buffer.byteLength(received), mimeType: responseHeaders['content-type'] ?? '', text: received },
      redirectURL: responseHeaders.location ?? '',
      headersSize: -1,
      bodySize: entry.responseBytes ?? -1,
    },
    cache: {},
    timings: { send: 0, wait: headMs, receive: Math.max(0, durationMs - headMs) },
    ...(entry.failure !== undefined && { comment: entry.failure }),
  }
}

function pairs(headers: Readonly<Record<string, string>>, redact: ExportInput['redact']): { name: string; value: string }[] {
  return Object.entries(redact(headers) as Record<string, string>).map(([name, value]) => ({ name, value }))
}

function redactBody(texts: readonly string[], redact: ExportInput['redact']): string {
  const values = texts.map((text) => {
    try {
      return redact(JSON.parse(text))
    } catch {
      return redact(text)
    }
  })
  if (values.length === 0) return ''
  return values.length === 1 && typeof values[0] === 'string'
    ? values[0]
    : JSON.stringify(values.length === 1 ? values[0] : values)
}
