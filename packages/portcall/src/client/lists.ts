import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { InvalidResult } from './errors.ts'

/** A list whose pages are fetched as they are needed. */
export interface List<T> extends AsyncIterable<T> {
  /** All items at once. */
  toArray(): Promise<T[]>
}

/** A list that a server has. */
export interface ListOf<T = unknown> {
  readonly method: string
  /** The member of a page that holds the items. */
  readonly key: string
  readonly params?: JsonObject
  /** Comes before the first page; when it throws, nothing is asked for. */
  readonly begin?: () => Promise<unknown>
  /** Leaves out what cannot be used. */
  readonly admit?: (item: T) => boolean
}

export interface ListOptions<T> extends ListOf<T> {
  readonly maxPages: number
  /** Gets one page. */
  readonly fetch: (params: JsonObject) => Promise<JsonObject>
}

/** Makes a list. A server whose pages never end, or lead back to one that was seen, is an `InvalidResult`. */
export function createList<T>(options: ListOptions<T>): List<T> {
  const { begin, admit = () => true } = options
  async function* items(): AsyncGenerator<T> {
    await begin?.()
    for await (const page of pages(options)) for (const item of page) if (isObject(item) && admit(item as T)) yield item as T
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

async function* pages<T>({ method, key, params = {}, maxPages, fetch }: ListOptions<T>): AsyncGenerator<readonly unknown[]> {
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let count = 0; count < maxPages; count++) {
    const result = await fetch(cursor === undefined ? params : { ...params, cursor })
    const found = result[key]
    if (!Array.isArray(found)) throw new InvalidResult(`The result of ${method} has no ${key}`)
    yield found
    const { nextCursor } = result
    if (typeof nextCursor !== 'string') return
    if (seen.has(nextCursor)) throw new InvalidResult(`The pages of ${method} lead in a circle`)
    seen.add(nextCursor)
    cursor = nextCursor
  }
  throw new InvalidResult(`${method} has more than ${maxPages} pages`)
}
