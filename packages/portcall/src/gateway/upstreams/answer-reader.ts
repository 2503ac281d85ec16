import type { Exchange } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { OnGatewayEvent } from '../api/events.ts'
import type { Caller } from '../policy/caller.ts'
import type { CombinedPolicies } from '../policy/combine.ts'
import type { GatewayKindInfo } from '../policy/item-kinds.ts'
import { type RawAnswer, withRawAnswer } from '../policy/raw-answer.ts'
import { toInfo, type UpstreamInfo } from './answers.ts'
import { checkItems } from './check-item.ts'
import { fetchPages, requestResult, type UpstreamList } from './fetch-list.ts'
import type { KeptLists } from './kept-lists.ts'
import type { KeptKind } from './kept-record.ts'
import { createContext } from './own-context.ts'

/** Reads the answers of a server, or kept ones, through its middleware and the policies. */
export interface AnswerReader {
  /** Asks the server, and keeps the answer. */
  fetchInfo(caller: Caller): Promise<UpstreamInfo>
  fetchList(info: GatewayKindInfo, caller: Caller): Promise<UpstreamList>
  /** Reads a kept answer: the result of `server/discover`, or the items of a list. */
  replayInfo(result: JsonObject, caller: Caller): Promise<UpstreamInfo>
  replayList(info: GatewayKindInfo, caller: Caller, items: readonly unknown[]): Promise<UpstreamList>
}

export interface AnswerReaderOptions {
  readonly server: string
  /** The gateway receives what the server delivers to webhooks. */
  readonly hasWebhook: boolean
  /** Returns the Exchange with the middleware of the server and of policies. */
  readonly exchangeUnder: (policies: CombinedPolicies) => Exchange
  /** Returns the current policies. */
  readonly policies: () => CombinedPolicies
  readonly onEvent: OnGatewayEvent
  /** The lists that are kept for a server that does not answer. Absent if none are. */
  readonly kept: KeptLists | undefined
  /** A list could not be fetched in a long time. */
  readonly onTimeout: (error: unknown) => void
}

const FETCH_TIMEOUT_MS = 60_000

/** A request that the gateway sends by itself. */
interface OwnRequest {
  readonly method: string
  readonly params?: JsonObject
  readonly raw: RawAnswer | undefined
}

export function createAnswerReader({
  server,
  hasWebhook,
  exchangeUnder,
  policies,
  onEvent,
  kept,
  onTimeout,
}: AnswerReaderOptions): AnswerReader {
  const request = async (caller: Caller, { method, params, raw }: OwnRequest): Promise<JsonObject> => {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS)
    const _meta = raw ? withRawAnswer(caller.sharedMeta, raw) : caller.sharedMeta
    try {
      return await requestResult(
        exchangeUnder(policies()),
        { method, params: { ...params, _meta } },
        createContext(signal, caller.auth),
      )
    } catch (error) {
      if (signal.aborted) onTimeout(signal.reason)
      throw error
    }
  }
  const readInfo = async (caller: Caller, raw: RawAnswer | undefined): Promise<UpstreamInfo> =>
    toInfo(await request(caller, { method: 'server/discover', raw }))
  const readList = async (
    info: GatewayKindInfo,
    caller: Caller,
    { raw, isKept = false }: { readonly raw: RawAnswer | undefined; readonly isKept?: boolean },
  ): Promise<UpstreamList> => {
    const { items, ...rules } = await fetchPages(
      (params) => request(caller, { method: info.method, params, raw }),
      info,
      (message) => onEvent({ type: 'warning', server, message }),
    )
    let offered: readonly JsonObject[] = checkItems(items, { info, server, hasWebhook, onEvent })
    for (const policy of policies().list) {
      const check = isKept && policy.listedEarlier ? 'listedEarlier' : 'listed'
      offered = (await policy[check]?.(server, info.kind, offered)) ?? offered
    }
    return { ...rules, items: indexItems(offered, info), freshUntil: Date.now() + rules.ttlMs }
  }
  const indexItems = (list: readonly JsonObject[], info: GatewayKindInfo): Map<string, JsonObject> => {
    const items = new Map<string, JsonObject>()
    for (const item of list) {
      const name = String(item[info.id])
      if (!items.has(name)) items.set(name, item)
      else onEvent({ type: 'item-dropped', server, kind: info.kind, name, reason: `its ${info.id} is used twice` })
    }
    return items
  }
  /** Reads an answer, and keeps the items that it contains as the server sent them, page by page. */
  const keeping = async <T>(
    kind: KeptKind,
    caller: Caller,
    { read, itemsOf }: { read(raw: RawAnswer | undefined): Promise<T>; itemsOf(result: JsonObject): unknown },
  ): Promise<T> => {
    if (!kept?.isDue(kind, caller)) return read(undefined)
    const pages = new Map<unknown, readonly unknown[]>()
    const onResult = (result: JsonObject, cursor: unknown): void => {
      const page = itemsOf(result)
      if (Array.isArray(page)) pages.set(cursor, page)
    }
    const answer = await read({ onResult })
    if (pages.size > 0) kept.keep(kind, caller, [...pages.values()].flat())
    return answer
  }

  return {
    fetchInfo: (caller) => keeping('info', caller, { read: (raw) => readInfo(caller, raw), itemsOf: (result) => [result] }),
    fetchList: (info, caller) =>
      keeping(info.kind, caller, { read: (raw) => readList(info, caller, { raw }), itemsOf: (result) => result[info.key] }),
    replayInfo: (result, caller) => readInfo(caller, { result }),
    replayList: (info, caller, items) =>
      readList(info, caller, { raw: { result: { resultType: 'complete', [info.key]: items } }, isKept: true }),
  }
}
