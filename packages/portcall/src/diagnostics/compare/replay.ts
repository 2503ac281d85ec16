import type { Client } from '../../client/types.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import type { Response } from '../../jsonrpc/message.ts'
import type { Recording } from '../../recording/recording.ts'
import { type CompareOptions, type ComparisonRow, createIgnore } from './compare-snapshots.ts'
import { comparableResponse, isRedacted, type RecordedCall, readCalls } from './conversation.ts'
import { diffJson } from './json-diff.ts'

/** Options of `replayCalls`. */
export interface ReplayCallsOptions extends CompareOptions {
  /** Aborts the replay. */
  readonly signal?: AbortSignal
}

/** An event that `replayCalls` yields. */
export type ReplayEvent =
  | {
      /** A request was sent again, and the response has arrived. */
      readonly type: 'replayed'
      /** The request, such as `tools/call search #2`. */
      readonly where: string
      /** The differences in the answers of the server; empty if nothing. */
      readonly differences: readonly ComparisonRow[]
    }
  | {
      /** A request could not be sent again. */
      readonly type: 'skipped'
      /** The request. */
      readonly where: string
      /** Why not. */
      readonly reason: string
    }
  | {
      /** All requests are done. This is the last event. */
      readonly type: 'finished'
      /** How many requests the recording has. */
      readonly total: number
      /** How many were sent. */
      readonly replayed: number
      /** All differences. */
      readonly differences: readonly ComparisonRow[]
    }

/**
 * Sends the requests of a recording to a server, one after another, and compares the responses. The recording may come from another revision:
 * what only belongs to a revision is not compared. Calls tools.
 *
 * @throws SyntaxError if the recording is invalid; the reason of the signal; the errors of a lost connection.
 */
export async function* replayCalls(
  recording: Recording | string,
  client: Client,
  { ignore = [], signal }: ReplayCallsOptions = {},
): AsyncGenerator<ReplayEvent, void> {
  const isIgnored = createIgnore(ignore)
  const calls = readCalls(recording)
  const differences: ComparisonRow[] = []
  let replayed = 0
  for (const call of calls) {
    signal?.throwIfAborted()
    const { where, response } = call
    const reason = reasonToSkip(call)
    if (reason !== undefined) {
      yield { type: 'skipped', where, reason }
      continue
    }
    const live = await send(client, call, signal)
    replayed++
    const rows = diffJson(comparableResponse(response), comparableResponse(live))
      .map((difference) => ({ where, ...difference }))
      .filter(({ pointer }) => !isIgnored(pointer) && !isIgnored(pointer.replace(/^\/(result|error)/, '')))
      .filter(({ before }) => !isRedacted(before))
    differences.push(...rows)
    yield { type: 'replayed', where, differences: rows }
  }
  yield { type: 'finished', total: calls.length, replayed, differences }
}

function reasonToSkip({ response, params }: RecordedCall): string | undefined {
  if (!response) return 'the recording has no response'
  if (isRedacted(params)) return 'it contains secrets, which are not in the recording'
  if ('requestState' in params || 'inputResponses' in params) return 'it answers a question of the server in an earlier round'
  return undefined
}

async function send(client: Client, { method, params }: RecordedCall, signal: AbortSignal | undefined): Promise<Response> {
  try {
    const result = await client.request(method, params, { ...(signal && { signal }) })
    return { jsonrpc: '2.0', id: 1, result }
  } catch (error) {
    if (error instanceof RpcError) return { jsonrpc: '2.0', id: 1, error: error.body() }
    throw error
  }
}

/** Compares the responses in two recordings. Requests are matched by method, name and order. Lists are left out: compare their snapshots. */
export function compareRecordings(
  left: Recording | string,
  right: Recording | string,
  { ignore = [] }: CompareOptions = {},
): ComparisonRow[] {
  const isIgnored = createIgnore(ignore)
  const [before, after] = [byLabel(left), byLabel(right)]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((where): ComparisonRow[] => {
    const [old, current] = [before.get(where), after.get(where)]
    if (!old) return [{ where, pointer: '', change: 'added', after: comparableResponse(current?.response) }]
    if (!current) return [{ where, pointer: '', change: 'removed', before: comparableResponse(old.response) }]
    return diffJson(
      { params: old.params, ...comparableResponse(old.response) },
      { params: current.params, ...comparableResponse(current.response) },
    )
      .filter(({ pointer }) => !isIgnored(pointer) && !isIgnored(pointer.replace(/^\/(result|error)/, '')))
      .map((difference) => ({ where, ...difference }))
  })
}

function byLabel(recording: Recording | string): Map<string, RecordedCall> {
  return new Map(readCalls(recording).flatMap((call) => (call.method.endsWith('/list') ? [] : [[call.where, call]])))
}
