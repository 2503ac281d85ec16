import { setLru } from '../../../../util/src/lru.ts'
import { isImmutable, markImmutable } from '../../../../util/src/memo.ts'
import { invalidParams } from '../../protocol/errors.ts'
import type { Sealer } from '../../stores/sealing/seal.ts'

export interface PageOptions<T> {
  /** The cursor of the request; omitted for the first page. */
  cursor?: unknown
  /** Maximum number of items on a page. */
  size: number
  /** Returns the unique name of an item. */
  keyOf: (item: T) => string
  /**
   * Returns the position of an item: a number that increases along the list and does not change while the item is in it. With positions,
   * the next page starts exactly after the previous one, whatever was added or removed in between.
   */
  positionOf?: ((item: T) => number) | undefined
  /** The list method, such as `tools/list`. A cursor is valid for one list only. */
  list: string
  /** The caller. A cursor is valid for one principal only. */
  principal?: string | undefined
}

export interface Page<T> {
  items: readonly T[]
  /** Omitted on the last page. */
  nextCursor?: string
}

interface KeptPage {
  readonly page: Page<unknown>
  /** The time from which the page needs a new cursor. */
  readonly until: number
}

const PURPOSE = 'cursor'
const DAY_MS = 86_400_000

/** The pages of lists that never change. */
const keptPages = new WeakMap<object, Map<string, KeptPage>>()
const MAX_KEPT_PAGES = 100

/**
 * Returns one page of a list. The cursor contains the last item of its page, and the next page starts after it. If that item has been
 * removed, the page starts at its position; without `positionOf`, it starts at its old index, which may skip or repeat items. A page of an
 * immutable list is immutable, too, and the same for all requests of a caller within an hour.
 *
 * @throws RpcError -32602 when the cursor is forged, more than a day old, or belongs to another list or caller.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export async function paginate<T>(items: readonly T[], options: PageOptions<T>, sealer: Sealer): Promise<Page<T>> {
  const { cursor, size, list, principal } = options
  const start = cursor === undefined ? 0 : findStart(items, await openCursor(cursor, options, sealer), options)
  const key = JSON.stringify([list, size, start, principal])
  const pages: Map<string, KeptPage> = keptPages.get(items) ?? new Map()
  const kept = pages.get(key)
  if (kept && Date.now() < kept.until) return kept.page as Page<T>
  const end = start + size
  const page: Page<T> = { items: items.slice(start, end) }
  if (end < items.length) {
    const last = items[end - 1] as T
    const cursorItem: CursorItem = [options.keyOf(last), options.positionOf?.(last) ?? end - 1]
    page.nextCursor = await sealer.seal(PURPOSE, cursorItem, { ttlMs: DAY_MS, principal, binding: list })
  }
  if (!isImmutable(items)) return page
  setLru(pages, [key, { page: markImmutable(page), until: Date.now() + DAY_MS / 24 }], MAX_KEPT_PAGES)
  keptPages.set(items, pages)
  return page
}

/** The last item of a page. The position is its index if there is no `positionOf`. */
type CursorItem = [key: string, position: number]

async function openCursor<T>(cursor: unknown, { list, principal }: PageOptions<T>, sealer: Sealer): Promise<CursorItem> {
  if (typeof cursor !== 'string') throw invalidParams('the cursor must be a string')
  return sealer.open(PURPOSE, cursor, { principal, binding: list }).then(
    (item) => item as CursorItem,
    () => {
      throw invalidParams('the cursor has expired or is not valid for this list; start again without a cursor')
    },
  )
}

function findStart<T>(items: readonly T[], [key, position]: CursorItem, { keyOf, positionOf }: PageOptions<T>): number {
  if (positionOf) {
    const next = items.findIndex((item) => positionOf(item) > position)
    return next < 0 ? items.length : next
  }
  const last = items.findIndex((item) => keyOf(item) === key)
  return last < 0 ? Math.min(position, items.length) : last + 1
}
