import { adviceIn } from '../../../util/src/advice.ts'
import { pluralize } from '../../../util/src/pluralize.ts'
import { sanitizeLine, shortenMessage } from '../../../util/src/printable.ts'
import type { ProcessStatus } from './controller.ts'

const HEAD = ['SERVER', 'STATE', 'REVISION', 'TOOLS', 'TOKENS', 'SESSIONS', 'CALLS', 'ERRORS', 'RESTARTS', 'NOTE']
const MAX_NOTE_LENGTH = 200
const MIB = 1024 * 1024

/** Formats the status of a gateway: one line for each server. */
export function formatStatus(status: ProcessStatus): string {
  const { endpoint, pid, version, startedAt, files, configError, memoryBytes, subscriptions } = status
  const age = formatDuration(Date.now() - Date.parse(startedAt))
  return [
    `Portcall ${version} at ${endpoint}, process ${pid}, up ${age}, ${Math.round(memoryBytes / MIB)} MB, ${pluralize(subscriptions, 'subscription')}`,
    `Configuration: ${files.join(', ')}`,
    ...(configError === undefined ? [] : [sanitizeLine(`The last change was not applied: ${configError}`)]),
    '',
    ...formatTable([HEAD, ...Object.entries(status.servers).map(rowOf)]),
  ].join('\n')
}

type ServerRow = ProcessStatus['servers'][string]

function rowOf([name, server]: [string, ServerRow]): string[] {
  const { state, items, toolTokens, connections, calls, errors, restarts } = server
  const revision = server.protocolVersion ?? server.era ?? '-'
  const tools = items.tool === undefined ? '-' : String(items.tool)
  const tokens = String(toolTokens ?? '-')
  return [name, state, revision, tools, tokens, ...[connections, calls, errors, restarts].map(String), noteOf(server)]
}

function noteOf({ error, situation, nextAttemptAt, keptSince, target }: ServerRow): string {
  const kept = keptSince === undefined ? '' : `its lists are ${formatDuration(Date.now() - keptSince)} old`
  if (error === undefined) return [target, kept].filter((part) => part !== '').join('; ')
  const seconds = nextAttemptAt === undefined ? undefined : Math.max(0, Math.ceil((nextAttemptAt - Date.now()) / 1000))
  const next = seconds === undefined ? '' : ` (next attempt in ${seconds} s)`
  return [formatNote({ error, situation, target }) + next, kept].filter((part) => part !== '').join('; ')
}

/** Why a server cannot be used. */
export interface UnusableServer {
  readonly error: string
  readonly situation?: string | undefined
  /** Where the server is. */
  readonly target: string
}

/** Formats an error as a cell of a table: one line, not too long, with what to do. */
export function formatNote({ error, situation = '', target }: UnusableServer): string {
  const hint = adviceIn(situation, 'gateway', { url: target })
  return sanitizeLine(shortenMessage(error, MAX_NOTE_LENGTH) + (hint === '' ? '' : `; ${hint}`))
}

/** Aligns the columns of a table. Each cell becomes one line. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const lines = rows.map((row) => row.map((cell) => sanitizeLine(cell)))
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...lines.map((row) => (row[column] ?? '').length)))
  return lines.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['s', 1]
  return `${Math.floor(seconds / size)} ${unit}`
}
