import type { JsonObject } from '../../jsonrpc/message.ts'
import type { Caller } from '../policy/caller.ts'
import { GATEWAY_KINDS } from '../policy/item-kinds.ts'
import type { GatewayItemKind } from '../policy/types.ts'
import type { AnswerReader } from './answer-reader.ts'
import type { Answers, CacheOf, UpstreamInfo } from './answers.ts'
import type { UpstreamList } from './fetch-list.ts'
import type { KeptLists } from './kept-lists.ts'
import type { KeptKind, KeptList } from './kept-record.ts'

/** Kept answers of a server, used until the server answers. */
export interface StandIns {
  list(kind: GatewayItemKind, caller: Caller): Promise<UpstreamList | undefined>
  info(caller: Caller): Promise<UpstreamInfo | undefined>
}

export interface StandInsOptions {
  readonly kept: KeptLists | undefined
  readonly reader: AnswerReader
  readonly cacheOf: CacheOf
  /** Reports whether the server is expected to answer: no kept answer is needed. */
  readonly isReady: () => boolean
  /** Returns a number that is another one after each change of the lists or policies. */
  readonly changes: () => number
}

export function createStandIns({ kept: keptLists, reader, cacheOf, isReady, changes }: StandInsOptions): StandIns {
  const find = async <K extends KeptKind>(
    kind: K,
    caller: Caller,
    read: (kept: KeptList) => Promise<Answers[K] | undefined>,
  ): Promise<Answers[K] | undefined> => {
    const { fetched, kept } = cacheOf(caller)
    if (!keptLists || fetched[kind].last) return undefined
    const known = kept.get(kind) as Answers[K] | undefined
    if (known) return known
    if (isReady()) return undefined
    const before = changes()
    const found = await keptLists.read(kind, caller)
    const answer = found && (await read(found).catch(() => undefined))
    if (answer && before === changes() && !fetched[kind].last) kept.set(kind, answer)
    return answer
  }
  return {
    list: (kind, caller) =>
      find(kind, caller, async ({ items, listedAt }) => {
        const offered = (await reader.replayList(GATEWAY_KINDS[kind], caller, items)).items
        // Policies that let nothing pass do so until they know what the server offers now.
        if (offered.size === 0 && items.length > 0) return undefined
        return { items: offered, ttlMs: 0, cacheScope: 'private', freshUntil: 0, keptSince: listedAt }
      }),
    info: (caller) => find('info', caller, ({ items: [result] }) => reader.replayInfo(result as JsonObject, caller)),
  }
}
