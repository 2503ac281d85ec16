import { errorMessage } from '../../../util/src/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { followPages } from '../protocol/pages.ts'
import { InvalidResultError } from './errors.ts'
import { checkListItem, labelOf } from './list-items.ts'

/** A list whose pages are fetched on demand. */
export interface List<T> extends AsyncIterable<T> {
  /** Fetches all pages. */
  toArray(): Promise<T[]>
}

/** Describes a paginated list of a server. */
export interface ListDefinition<T = unknown> {
  /** The method that returns a page. */
  readonly method: string
  /** The member of a page that holds the items. */
  readonly key: string
  /** Params of each request, in addition to the cursor. */
  readonly params?: JsonObject
  /** Called before the first page is fetched; if it throws, no request is sent. */
  readonly beforeFetch?: () => Promise<unknown>
  /** Reports whether an item is usable; others are left out. What it throws is reported as a warning, and the item is left out, too. */
  readonly accept?: (item: T) => boolean
}

export interface PagedListOptions<T> extends ListDefinition<T> {
  readonly maxPages: number
  /** Returns whether the server declares the list. */
  readonly isDeclared: () => Promise<boolean>
  /** Fetches one page. */
  readonly fetch: (params: JsonObject) => Promise<JsonObject>
  /** Called with the reason for each item that is left out, and if the list ends before the server says so. */
  readonly onWarning: (message: string) => void
}

/** Creates a list. Iterating throws `InvalidResultError` if a page has no items member. */
export function createPagedList<T>(options: PagedListOptions<T>): List<T> {
  const { beforeFetch } = options
  async function* items(): AsyncGenerator<T> {
    await beforeFetch?.()
    for await (const page of pages(options)) for (const item of page) if (isUsable(item, options)) yield item as T
  }

  return {
    [Symbol.asyncIterator]: items,
    async toArray() {
      const all: T[] = []
      for await (const item of items()) all.push(item)
      return all
    },
  }
}

/** One unusable item does not make the others unavailable. */
function isUsable<T>(item: unknown, { method, accept, onWarning }: PagedListOptions<T>): boolean {
  try {
    checkListItem(method, item)
    return accept?.(item as T) ?? true
  } catch (error) {
    onWarning(`${method}: ${labelOf(item)} is left out: ${errorMessage(error)}`)
    return false
  }
}

async function* pages<T>({
  method,
  key,
  params = {},
  maxPages,
  fetch,
  isDeclared,
  onWarning,
}: PagedListOptions<T>): AsyncGenerator<readonly unknown[]> {
  const fetchPage = (cursor: string | undefined): Promise<JsonObject> =>
    fetch(cursor === undefined ? params : { ...params, cursor })
  for await (const { [key]: items } of followPages({ method, key, fetch: fetchPage, maxPages, isDeclared, onWarning })) {
    if (!Array.isArray(items)) throw new InvalidResultError(`The result of ${method} has no ${key}`)
    yield items
  }
}
