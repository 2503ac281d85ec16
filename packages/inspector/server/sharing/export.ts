import { createRedactor } from '../../../portcall/src/recording/redact.ts'
import type { BackendParts } from '../backend-parts.ts'
import type { ExportFile, ExportFormat, ExportScope } from '../protocol/sharing.ts'
import type { InspectorCommands } from '../protocol.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import type { StoredEntry, Timeline } from '../timeline/timeline.ts'
import { createLineWriter } from './entry-lines.ts'
import type { ExportInput } from './export-input.ts'
import { toHar } from './har.ts'
import { toHtml } from './html.ts'
import { countRedactions } from './redact.ts'
import { toSnapshot } from './snapshot.ts'

interface Exporter {
  readonly extension: string
  readonly mimeType: string
  write(input: ExportInput): string
}

const EXPORTERS: { readonly [Format in ExportFormat]: Exporter } = {
  ndjson: { extension: 'ndjson', mimeType: 'application/x-ndjson', write: toLines },
  har: { extension: 'har', mimeType: 'application/json', write: toHar },
  html: { extension: 'html', mimeType: 'text/html', write: toHtml },
  snapshot: { extension: 'json', mimeType: 'application/json', write: toSnapshot },
}

/** Writes a part of the timeline as a file, without secrets. */
export function exportFile(
  { format, serverIds, entryIds }: InspectorCommands['export']['params'],
  parts: BackendParts,
): ExportFile {
  const exporter = Object.hasOwn(EXPORTERS, format) ? EXPORTERS[format] : undefined
  if (!exporter) throw new InspectorCommandError('INVALID_PARAMS', `There is no format ${format}`)
  const stored = select(parts.timeline, { ...(serverIds && { serverIds }), ...(entryIds && { entryIds }) })
  const redact = createRedactor()
  const text = exporter.write({ stored, parts, serverIds: serverIds ?? parts.servers.all.map(({ id }) => id), redact })
  const date = new Date().toISOString().replaceAll(':', '-').slice(0, 19)
  return {
    fileName: `portcall-${date}.${exporter.extension}`,
    mimeType: exporter.mimeType,
    text,
    messages: stored.filter(({ entry }) => entry.type === 'message').length,
    redactions: countRedactions(stored),
  }
}

function select(timeline: Timeline, { serverIds, entryIds }: ExportScope): StoredEntry[] {
  const wanted = entryIds && new Set(entryIds)
  return [...timeline.all()].filter(
    ({ entry }) => (!serverIds || serverIds.includes(entry.serverId)) && (!wanted || wanted.has(entry.id)),
  )
}

function toLines({ stored, parts }: ExportInput): string {
  const lines = createLineWriter(parts.timeline)
  return stored
    .flatMap((one) => lines.lineOf(one) ?? [])
    .map((line) => `${line}\n`)
    .join('')
}
