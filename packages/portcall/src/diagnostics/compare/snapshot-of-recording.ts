import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { MetaKey } from '../../protocol/meta.ts'
import type { Recording } from '../../recording/recording.ts'
import { type RecordedCall, readAllCalls } from './conversation.ts'
import type { ServerSnapshot } from './snapshot.ts'

const LISTS: { readonly [list: string]: readonly [method: string, member: string, key: string] } = {
  tools: ['tools/list', 'tools', 'name'],
  resources: ['resources/list', 'resources', 'uri'],
  templates: ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
  prompts: ['prompts/list', 'prompts', 'name'],
}

/** Returns what a recording shows of a server: its lists, as far as they were requested, each item as it was last. */
export function snapshotOfRecording(recording: Recording | string): ServerSnapshot {
  const calls = readAllCalls(recording)
  const said = resultsOf(calls, 'server/discover')[0] ?? resultsOf(calls, 'initialize')[0] ?? {}
  const lists = Object.entries(LISTS).flatMap(([name, [method, member, key]]) => {
    const pages = resultsOf(calls, method)
    const items = pages.flatMap((result) => (Array.isArray(result[member]) ? (result[member] as JsonObject[]) : []))
    const latest = new Map(items.map((item) => [item[key], item]))
    return pages.length === 0 ? [] : [[name, [...latest.values()]] as const]
  })
  const { capabilities, instructions, _meta } = said
  const serverInfo = said.serverInfo ?? (isObject(_meta) ? _meta[MetaKey.serverInfo] : undefined)
  return {
    name: isObject(serverInfo) && typeof serverInfo.name === 'string' ? serverInfo.name : 'recording',
    ...(serverInfo !== undefined && { info: serverInfo }),
    ...(capabilities !== undefined && { capabilities }),
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
