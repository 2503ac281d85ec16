import type { Era } from 'portcall/client'
import { isObject } from 'portcall/jsonrpc'
import { MODERN_VERSION } from '../../../portcall/src/protocol/revisions.ts'
import { parseJson } from '../../../util/src/parse-json.ts'
import type { Negotiation, ProbeStep } from '../protocol/servers.ts'
import type { HttpEntry, MessageEntry, TimelineEntry } from '../protocol/timeline.ts'
import type { StoredEntry, Timeline } from '../timeline/timeline.ts'

/** The requests with which a client finds out how to talk to a server. */
const HANDSHAKE: ReadonlySet<string> = new Set(['server/discover', 'initialize'])

/** Facts about an attempt to connect. */
export interface NegotiationAttempt {
  readonly serverId: string
  /** The id of the last entry before the attempt. */
  readonly after: number
  /** The revision that the user chose. */
  readonly pinned: string | undefined
  readonly era: Era | undefined
  readonly revision: string | undefined
  readonly transport: Negotiation['transport']
}

/** Describes what was probed and why the revision won, from the entries of an attempt. */
export function describeNegotiation(timeline: Timeline, attempt: NegotiationAttempt): Negotiation {
  const stored = [...timeline.all()].filter(({ entry }) => entry.serverId === attempt.serverId && entry.id > attempt.after)
  const steps = stored.flatMap(({ entry }) => stepOf(entry, stored)).slice(0, 20)
  const offered = offeredBy(stored)
  const { revision, era, transport } = attempt
  return {
    ...(revision !== undefined && { revision }),
    ...(era && { era }),
    ...(transport && { transport }),
    ...(offered.length > 0 && { offered }),
    steps,
    reason: reasonOf(attempt, { steps, offered }),
  }
}

function stepOf(entry: TimelineEntry, all: readonly StoredEntry[]): ProbeStep[] {
  if (entry.type === 'message' && entry.direction === 'out' && entry.messageKind === 'request')
    return HANDSHAKE.has(entry.method ?? '') ? [messageStep(entry, all)] : []
  return entry.type === 'http' && entry.method === 'GET' ? [httpStep(entry)] : []
}

function messageStep(entry: MessageEntry, all: readonly StoredEntry[]): ProbeStep {
  const response = all.find((stored) => stored.entry.type === 'message' && stored.entry.pairId === entry.id)
  const http = all.map((stored) => stored.entry).find((other) => other.type === 'http' && other.httpId === entry.httpId)
  const ids = [http?.id, entry.id, response?.entry.id].filter((id): id is number => id !== undefined)
  const outcome = response ? describeResponse(response) : describeHttp(http as HttpEntry | undefined)
  const ok = response?.entry.type === 'message' && response.entry.messageKind === 'response'
  const durationMs = entry.durationMs ?? (http as HttpEntry | undefined)?.durationMs
  return { tried: entry.method ?? '', outcome, ok, entryIds: ids, ...(durationMs !== undefined && { durationMs }) }
}

function httpStep(entry: HttpEntry): ProbeStep {
  const ok = entry.status !== undefined && entry.status < 300
  const { durationMs } = entry
  return {
    tried: 'GET event stream',
    outcome: describeHttp(entry),
    ok,
    entryIds: [entry.id],
    ...(durationMs !== undefined && { durationMs }),
  }
}

function describeHttp(http: HttpEntry | undefined): string {
  if (http?.failure !== undefined) return http.failure
  return http?.status === undefined ? 'no answer' : `HTTP ${http.status}`
}

/** The revisions that a response names, or its error. */
function describeResponse(stored: StoredEntry): string {
  const value = messageOf(stored)
  const { result, error } = isObject(value) ? value : {}
  if (isObject(error)) return `${String(error.code)} ${String(error.message).slice(0, 200)}`
  const versions = versionsOf(result)
  return versions.length > 0 ? versions.join(', ') : 'a result without a version'
}

function offeredBy(stored: readonly StoredEntry[]): string[] {
  const versions = stored.flatMap((one) => {
    if (one.entry.type !== 'message' || one.entry.direction !== 'in' || !HANDSHAKE.has(one.entry.method ?? '')) return []
    const value = messageOf(one)
    const { result, error } = isObject(value) ? value : {}
    return [...versionsOf(result), ...(isObject(error) ? versionsOf(error.data) : [])]
  })
  return [...new Set(versions)]
}

function versionsOf(value: unknown): string[] {
  if (!isObject(value)) return []
  const { supportedVersions, supported, protocolVersion } = value
  return [supportedVersions, supported, protocolVersion].flat().filter((version) => typeof version === 'string')
}

function messageOf({ entry, details }: StoredEntry): unknown {
  return entry.type === 'message' ? parseJson(details.text ?? entry.text) : undefined
}

function reasonOf(
  { pinned, era, revision, transport }: NegotiationAttempt,
  { steps, offered }: { readonly steps: readonly ProbeStep[]; readonly offered: readonly string[] },
): string {
  const names = offered.length > 0 ? `The server named ${offered.join(', ')}.` : 'The server named no version.'
  if (revision === undefined)
    return pinned === undefined ? `No revision was agreed on. ${names}` : `You chose ${pinned}. ${names}`
  if (transport === 'in-process' && steps.length === 0) return `The server runs in this process and speaks ${revision}.`
  if (pinned !== undefined) return `You chose ${revision}, so nothing else was tried.`
  if (era === 'modern') return `The server answered server/discover as one of the newest revision, ${revision}, does.`
  const probed = steps.some(({ tried }) => tried === 'server/discover')
  const start = probed
    ? `The server did not answer server/discover as one of ${MODERN_VERSION} does, so a session was opened`
    : 'The server opened a session at the previous connection, so it was not probed again'
  const over = era === 'http+sse' ? ' over the HTTP+SSE transport' : ''
  return `${start}${over}; the server chose ${revision}.`
}
