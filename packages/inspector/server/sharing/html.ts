import { escapeHtml } from '../../../util/src/escape-html.ts'
import type { MessageEntry, TimelineEntry } from '../protocol/timeline.ts'
import type { StoredEntry } from '../timeline/timeline.ts'
import type { ExportInput } from './export-input.ts'

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
details { border-top: 1px solid #8884; padding: .3rem 0 } summary { cursor: pointer; font-family: ui-monospace, monospace }
pre { overflow-x: auto; background: #8881; padding: .75rem; border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere }
.time, .size { color: #888 } .error { color: #c33 } .warning { color: #b70 }
.note { font-family: ui-monospace, monospace; border-top: 1px solid #8884; padding: .3rem 0; color: #888; white-space: pre-wrap }
`

/** Writes one HTML file that needs nothing else: no script, no request. Everything in it is text. */
export function toHtml({ stored, parts, serverIds, redact }: ExportInput): string {
  const { servers, version } = parts.state()
  const sections = servers
    .filter(({ id }) => serverIds.includes(id))
    .map(({ id, name, info, negotiation, failure }) => {
      const entries = stored.filter(({ entry }) => entry.serverId === id).map((one) => entryHtml(one, redact))
      const facts = [info && `${info.name} ${info.version}`, negotiation?.revision, negotiation?.reason, failure?.message]
      return `<h2>${escapeHtml(name)}</h2>\n<p>${escapeHtml(facts.filter(Boolean).join(' · '))}</p>\n${entries.join('\n')}`
    })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>MCP session</title><style>${STYLE}</style></head>
<body><h1>MCP session</h1><p>Recorded by Portcall ${escapeHtml(version)}, ${escapeHtml(new Date().toISOString())}. Secrets were removed.</p>
${sections.join('\n')}
</body></html>
`
}

function entryHtml({ entry, details }: StoredEntry, redact: ExportInput['redact']): string {
  if (entry.type === 'message') return messageHtml(entry, details.text ?? entry.text, redact)
  if (entry.type === 'http') {
    const { method, url, status, requestHeaders, responseHeaders, bodyText, failure } = entry
    const body = { requestHeaders, responseHeaders, bodyText, failure }
    return disclosure(`${method} ${String(redact(url))} ${status ?? failure ?? ''}`, JSON.stringify(redact(body), null, 2))
  }
  return `<div class="note">${escapeHtml(noteOf(entry, redact))}</div>`
}

function noteOf(entry: Exclude<TimelineEntry, { type: 'message' | 'http' }>, redact: ExportInput['redact']): string {
  switch (entry.type) {
    case 'log':
      return `${entry.level}${entry.logger ? ` ${entry.logger}` : ''}: ${JSON.stringify(redact(entry.data))}`
    case 'progress':
      return `progress ${entry.progress}${entry.total === undefined ? '' : ` of ${entry.total}`} ${String(redact(entry.message ?? ''))}`
    case 'stderr':
      return `stderr: ${String(redact(entry.text))}`
    case 'view':
      return `view ${entry.event} ${entry.title}: ${String(redact(entry.text))}`
    case 'connection':
      return String(redact(entry.text))
  }
}

function messageHtml(entry: MessageEntry, text: string, redact: ExportInput['redact']): string {
  const { direction, method = '', subject = '', messageKind, durationMs, bytes, violations = [] } = entry
  const arrow = direction === 'out' ? '→' : '←'
  const time = durationMs === undefined ? '' : `${durationMs.toFixed(1)} ms`
  const title = `${arrow} ${messageKind} ${method} ${subject} ${time} ${bytes} B`
  const rules = violations.map(({ level, message, link }) => `${level}: ${message} (${link})`).join('\n')
  return disclosure(title, `${rules === '' ? '' : `${rules}\n\n`}${pretty(text, redact)}`, messageKind === 'error' ? 'error' : '')
}

function pretty(text: string, redact: ExportInput['redact']): string {
  try {
    return JSON.stringify(redact(JSON.parse(text)), null, 2)
  } catch {
    return String(redact(text))
  }
}

function disclosure(title: string, body: string, kind = ''): string {
  return `<details><summary class="${kind}">${escapeHtml(title)}</summary><pre>${escapeHtml(body)}</pre></details>`
}
