import type { Signal } from '@preact/signals'
import { isObject } from '../../schema/schema.ts'
import { jsonText } from '../../schema/value.ts'
import { draft } from '../../state/drafts.ts'

/** A raw request as it is being typed. */
export interface RequestDraft {
  readonly method: string
  readonly params: string
  readonly count: number
  readonly perSecond: string
  readonly concurrency: number
}

const EMPTY: RequestDraft = { method: 'tools/list', params: '', count: 1, perSecond: '', concurrency: 1 }

/** Returns the raw request that is being typed for a server. */
export const requestDraft = (serverId: string): Signal<RequestDraft> => draft(`request ${serverId}`, () => EMPTY)

/** Members of `_meta` that the back end writes itself for each request. */
const OWN_META = /^(?:progressToken|io\.modelcontextprotocol\/(?:protocolVersion|client.*|logLevel))$/

/** Puts a message that was sent into the form of raw requests. */
export function editRequest(serverId: string, message: unknown): void {
  if (!isObject(message) || typeof message['method'] !== 'string') return
  const { method, params } = message
  requestDraft(serverId).value = {
    ...EMPTY,
    method,
    params: jsonText(withoutOwnMeta(params)),
  }
}

function withoutOwnMeta(params: unknown): unknown {
  if (!isObject(params) || !isObject(params['_meta'])) return params
  const meta = Object.fromEntries(Object.entries(params['_meta']).filter(([key]) => !OWN_META.test(key)))
  const { _meta: _, ...rest } = params
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}
