import { invalidParams } from '../protocol/errors.ts'
import type { Sealer } from '../stores/seal.ts'

export interface PageOptions<T> {
  /** The cursor as it came; left out for the first page. */
  cursor?: unknown
  /** How many items a page has at most. */
  size: number
  /** Names an item; no two items of a list have the same name. */
  keyOf: (item: T) => string
  /**
   * Where an item belongs: a number that grows along the list and that an item keeps as long as it is in it. With it, paging
   * goes on exactly where it stopped, whatever was removed meanwhile.
   */
  positionOf?: (item: T) => number
  /** The list, such as `tools/list`: a cursor of one list is refused by all others. */
  list: string
  /** Whom the cursor belongs to. */
  principal?: string | undefined
}

export interface Page<T> {
  items: readonly T[]
  /** Left out on the last page. */
  nextCursor?: string
}

const PURPOSE = 'cursor'
const DAY_MS = 86_400_000

/**
 * Cuts one page out of a list. A cursor remembers the last item of its page; the next page starts behind it. When that item has
 * gone meanwhile, `positionOf` tells exactly what came behind it; without, its old index has to do, and is off by as many items
 * as have come or gone before it.
 *
 * Rejects with -32602 when the cursor was changed, is a day old, or belongs to another list or caller.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export async function page<T>(items: readonly T[], options: PageOptions<T>, sealer: Sealer): Promise<Page<T>> {
  const { cursor, size } = options
  if (cursor === undefined && items.length <= size) return { items }
  const start = cursor === undefined ? 0 : findStart(items, await readCursor(cursor, options, sealer), options)
  const end = start + size
  const last = items[end - 1]
  const cut = items.slice(start, end)
  if (end >= items.length || last === undefined) return { items: cut }
  const mark: Mark = [options.keyOf(last), options.positionOf?.(last) ?? end - 1]
  const { list, principal } = options
  return { items: cut, nextCursor: await sealer.seal(PURPOSE, mark, { ttlMs: DAY_MS, principal, binding: list }) }
}

/** The last item that was handed out, and its position; without `positionOf`, its index. */
type Mark = [key: string, position: number]

async function readCursor<T>(cursor: unknown, { list, principal }: PageOptions<T>, sealer: Sealer): Promise<Mark> {
  if (typeof cursor !== 'string') throw invalidParams('the cursor has to be a string')
  return sealer.open(PURPOSE, cursor, { principal, binding: list }).then(
    (mark) => mark as Mark,
    () => {
      throw invalidParams('the cursor is not one of this list, or it has expired; start again without a cursor')
    },
  )
}

function findStart<T>(items: readonly T[], [key, position]: Mark, { keyOf, positionOf }: PageOptions<T>): number {
  if (positionOf) {
    const next = items.findIndex((item) => positionOf(item) > position)
    return next < 0 ? items.length : next
  }
  const last = items.findIndex((item) => keyOf(item) === key)
  return last < 0 ? Math.min(position, items.length) : last + 1
}
