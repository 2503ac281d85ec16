import type { Signal } from '@preact/signals'
import { isObject } from '../../schema/schema.ts'
import { jsonText } from '../../schema/value.ts'
import { draft } from '../../state/drafts.ts'
import type { InspectorServer, OperationRequest } from '../../state/protocol.ts'
import { store } from '../../state/store.ts'

/** How a message is sent: as a request or notification of the revision in use, or as a request of the newest one, which is translated. */
export type SendMode = 'request' | 'translated' | 'notification'

/** A raw message as it is being typed. */
export interface RequestDraft {
  readonly mode: SendMode
  readonly method: string
  readonly params: string
  readonly count: number
  readonly perSecond: string
  readonly concurrency: number
}

const EMPTY: RequestDraft = { mode: 'request', method: 'tools/list', params: '', count: 1, perSecond: '', concurrency: 1 }

/** Returns the raw message that is being typed for a server. */
export const requestDraft = (serverId: string): Signal<RequestDraft> => draft(`request ${serverId}`, () => EMPTY)

/** Reports whether requests of the client are translated for a server. */
export const isTranslated = ({ negotiation }: InspectorServer): boolean =>
  negotiation?.era !== undefined && negotiation.era !== 'modern'

/** The ways to send to a server. */
export const modesFor = (server: InspectorServer): readonly { readonly id: SendMode; readonly label: string }[] => [
  { id: 'request', label: 'Request' },
  ...(isTranslated(server) ? [{ id: 'translated', label: 'Request of the newest revision, translated' } as const] : []),
  { id: 'notification', label: 'Notification' },
]

/** The methods to suggest: those of the revision in use, or of the newest one for a request that is translated. */
export function methodsFor({ negotiation }: InspectorServer, mode: SendMode): readonly string[] {
  const [newest] = store.methods.value
  const inUse = store.methods.value.find(({ revision }) => revision === negotiation?.revision) ?? newest
  if (mode === 'notification') return inUse?.notifications ?? []
  return (mode === 'translated' ? newest : inUse)?.requests ?? []
}

/** Returns what a draft asks for. */
export function requestOf(
  server: InspectorServer,
  mode: SendMode,
  message: { method: string; params?: object },
): OperationRequest {
  const params = message.params === undefined ? {} : { params: { ...message.params } }
  const base = { method: message.method, ...params }
  if (mode === 'notification') return { type: 'notify', ...base }
  return { type: 'request', ...base, ...(mode === 'request' && isTranslated(server) && { untranslated: true }) }
}

/** Returns how a message was sent. */
export function modeOf(server: InspectorServer, request: OperationRequest): SendMode {
  if (request.type === 'notify') return 'notification'
  return request.type === 'request' && !request.untranslated && isTranslated(server) ? 'translated' : 'request'
}

/** Members of `_meta` that the back end writes itself for each request. */
const OWN_META = /^(?:progressToken|io\.modelcontextprotocol\/(?:protocolVersion|client.*|logLevel))$/

/** Puts a message that was sent into the form of raw messages. */
export function editRequest(serverId: string, message: unknown): void {
  if (!isObject(message) || typeof message['method'] !== 'string') return
  const { method, params } = message
  requestDraft(serverId).value = {
    ...EMPTY,
    mode: 'id' in message ? 'request' : 'notification',
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
