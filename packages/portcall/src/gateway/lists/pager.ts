import type { JsonObject } from '../../jsonrpc/message.ts'
import { type CursorBinding, invalidCursor, type ListCursors } from './cursors.ts'

/** A merged list, and the request for a page of it. */
export interface ListPageRequest {
  readonly items: readonly JsonObject[]
  /** The member that identifies an item. */
  readonly id: string
  readonly cursor: unknown
  readonly binding: CursorBinding
}

/** A page of a merged list. */
export interface ListPage {
  readonly page: readonly JsonObject[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}

/** Cuts merged lists into pages. A page begins after the last item of the previous one. @throws RpcError -32602 if the cursor is not valid. */
export type ListPager = (request: ListPageRequest) => Promise<ListPage>

export function createListPager(cursors: ListCursors, pageSize: number): ListPager {
  return async ({ items, id, cursor, binding }) => {
    const last = await cursors.open(cursor, binding)
    const at = last === undefined ? -1 : items.findIndex((item) => item[id] === last)
    if (last !== undefined && at < 0) throw invalidCursor()
    const end = at + 1 + pageSize
    const page = items.slice(at + 1, end)
    return { page, ...(end < items.length && { nextCursor: await cursors.seal(page.at(-1)?.[id], binding) }) }
  }
}
