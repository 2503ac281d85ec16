import { isJsonEqual } from '../../../util/src/json-equal.ts'
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'

/** How many pages of one list are fetched: `remote` from a server elsewhere, `local` from one in this process. */
export const PAGE_LIMITS = { remote: 64, local: 1000 } as const

/** Follows the name of a list method in the warning that the list does not go on. */
export const STUCK = 'returned an empty page and the cursor of an earlier page; the list ends there'

/** A list of a server, and how to fetch a page of it. */
export interface PagedList {
  /** The method that returns a page. */
  readonly method: string
  /** The member of a page that holds the items. */
  readonly key: string
  /** Fetches one page. The first has no cursor. */
  readonly fetch: (cursor: string | undefined) => Promise<JsonObject>
  /** Default: that of a remote list. */
  readonly maxPages?: number
  /**
   * Returns whether the server declares the list. One that declares it and does not know the method, as servers with resources but without
   * templates do, has an empty list. Default: it does not.
   */
  readonly isDeclared?: (() => boolean | Promise<boolean>) | undefined
  /** Called if the list is empty or ends for another reason than the word of the server. */
  readonly onWarning?: ((message: string) => void) | undefined
}

/**
 * Fetches the pages of a list until the server names no further one. Cursors are opaque, so a cursor may repeat while the pages differ. A list
 * that does not end by itself ends with what was fetched and a warning: at a page that was there before, at an empty page whose cursor was
 * there before, and after `maxPages`.
 *
 * @throws what `fetch` throws.
 */
export async function* followPages(list: PagedList): AsyncGenerator<JsonObject> {
  const { method, key, fetch, maxPages = PAGE_LIMITS.remote, onWarning } = list
  /** The items that each cursor led to. */
  const fetched = new Map<string | undefined, readonly unknown[]>()
  let previous: readonly unknown[] = []
  let cursor: string | undefined
  for (let count = 0; count < maxPages; count++) {
    const page = await (count === 0 ? fetchFirst(list) : fetch(cursor))
    if (!page) return
    const items: readonly unknown[] = Array.isArray(page[key]) ? page[key] : []
    if (isRepeated(items, previous) || isRepeated(items, fetched.get(cursor)))
      return onWarning?.(`${method} returned an earlier page again; the list ends there`)
    yield page
    fetched.set(cursor, items)
    const { nextCursor } = page
    if (typeof nextCursor !== 'string') return
    if (items.length === 0 && fetched.has(nextCursor)) return onWarning?.(`${method} ${STUCK}`)
    previous = items
    cursor = nextCursor
  }
  onWarning?.(`${method} has more than ${maxPages} pages (maxPages); the others are left out`)
}

/** Fetches the first page, unless the server does not know the method. */
async function fetchFirst({ method, fetch, isDeclared, onWarning }: PagedList): Promise<JsonObject | undefined> {
  try {
    return await fetch(undefined)
  } catch (error) {
    const isUnknown = error instanceof RpcError && error.code === ErrorCode.methodNotFound
    if (!isUnknown || !(await isDeclared?.())) throw error
    return void onWarning?.(
      `The server declares ${method.split('/', 1)[0]}, but does not answer ${method} (${error.code}); the list is empty`,
    )
  }
}

function isRepeated(items: readonly unknown[], earlier: readonly unknown[] = []): boolean {
  return items.length > 0 && isJsonEqual(items, earlier)
}
