import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { KINDS } from '../../compose/kinds.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { Recording } from '../../recording/recording.ts'
import { type RecordedCall, readAllCalls } from './conversation.ts'
import { LIST_NAMES, type ServerSnapshot } from './snapshot.ts'

/** Returns what a recording shows of a server: its lists, as far as they were requested, each item as it was last. */
export function snapshotOfRecording(recording: Recording | string): ServerSnapshot {
  const calls = readAllCalls(recording)
  const said = resultsOf(calls, 'server/discover')[0] ?? resultsOf(calls, 'initialize')[0] ?? {}
  const lists = Object.values(KINDS).flatMap(({ kind, method, key, id }) => {
    const pages = resultsOf(calls, method)
    const items = pages.flatMap((result) => (Array.isArray(result[key]) ? (result[key] as JsonObject[]) : []))
    const latest = new Map(items.map((item) => [item[id], item]))
    return pages.length === 0 ? [] : [[LIST_NAMES[kind], [...latest.values()]] as const]
  })
  const { capabilities, instructions, _meta } = said
  const serverInfo = said.serverInfo ?? (isObject(_meta) ? _meta[MetaKey.serverInfo] : undefined)
  return {
    name: isObject(serverInfo) && typeof serverInfo.name === 'string' ? serverInfo.name : 'recording',
    ...withoutUndefined({ info: serverInfo, capabilities }),
    ...(typeof instructions === 'string' && { instructions }),
    ...Object.fromEntries(lists),
  }
}

function resultsOf(calls: readonly RecordedCall[], method: string): JsonObject[] {
  return calls.flatMap((call) => {
    const { response } = call
    return call.method === method && response && 'result' in response && isObject(response.result) ? [response.result] : []
  })
}
