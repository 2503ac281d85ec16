import type { JsonObject } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import type { CacheHint } from '../protocol/types.ts'
import type { Call, CallContext } from './call.ts'
import type { Described } from './define.ts'
import { page } from './paging.ts'
import type { Entry } from './registry.ts'
import type { Sealer } from './seal.ts'

/** An entry that can show itself in a list. */
export interface Listed<D extends Described = Described> extends Entry<D> {
  /** What the list says about it. */
  readonly wire: object
}

export interface ListOptions<W> {
  /** The member of the result that holds the items. */
  readonly key: string
  items(call: CallContext): readonly W[] | Promise<readonly W[]>
  keyOf(item: W): string
  hint(): CacheHint
  readonly pageSize: number
  readonly sealer: Sealer
}

/** Tells whether a caller may see an item. */
export function isVisible({ definition }: Entry<Described>, call: Call): boolean | Promise<boolean> {
  return definition.visible ? definition.visible(call) : true
}

/** What a caller may see of the entries that are offered. Where nothing is hidden it is one array, kept until something changes. */
export function createVisible<W>(offered: () => readonly Listed[]): (call: CallContext) => readonly W[] | Promise<readonly W[]> {
  let last: readonly Listed[] | undefined
  let all: readonly W[] = []
  let hides = false
  return (call) => {
    const entries = offered()
    if (entries !== last) {
      last = entries
      hides = entries.some(({ definition }) => definition.visible)
      all = entries.map(({ wire }) => wire as W)
    }
    return hides ? visibleTo(entries, call) : all
  }
}

async function visibleTo<W>(entries: readonly Listed[], call: CallContext): Promise<W[]> {
  const shown = await Promise.all(entries.map((entry) => isVisible(entry, call)))
  return entries.filter((_, index) => shown[index]).map(({ wire }) => wire as W)
}

/** Makes the handler of one list method. */
export function createList<W>(options: ListOptions<W>): (call: CallContext) => Promise<JsonObject> {
  const { key, keyOf, sealer, pageSize: size } = options
  return async (call) => {
    const cursor = call.request.params?.cursor ?? undefined
    if (cursor !== undefined && typeof cursor !== 'string') throw invalidParams('the cursor has to be a string')
    const items = await options.items(call)
    const principal = call.auth?.principal
    const where = { size, keyOf, list: call.method, ...(cursor === undefined ? {} : { cursor }), ...(principal === undefined ? {} : { principal }) }
    const { items: shown, nextCursor } = await page(items, where, sealer)
    return { [key]: shown, ...(nextCursor === undefined ? {} : { nextCursor }), ...options.hint() }
  }
}
