import { describe, expect, test } from 'vitest'
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { followPages, type PagedList } from './pages.ts'

const METHOD = 'things/list'

/** Lists items. `pageOf` returns the page for a cursor, and how many requests came before. */
async function list(pageOf: (cursor: string | undefined, count: number) => JsonObject, options: Partial<PagedList> = {}) {
  const warnings: string[] = []
  let requests = 0
  const items: unknown[] = []
  const fetch = async (cursor: string | undefined): Promise<JsonObject> => pageOf(cursor, requests++)
  for await (const { things } of followPages({
    method: METHOD,
    key: 'things',
    fetch,
    onWarning: (message) => void warnings.push(message),
    ...options,
  }))
    items.push(...(things as unknown[]))
  return { items, requests, warnings }
}

describe('followPages', () => {
  test('returns all pages, whatever the cursors look like', async () => {
    const pages = [[1, 2], [], [3], [4, 5]]
    for (const cursorOf of [(count: number) => `${count}`, (count: number) => '\n'.repeat(count)])
      expect(await list((_, count) => ({ things: pages[count], ...(count < 3 && { nextCursor: cursorOf(count) }) }))).toEqual({
        items: [1, 2, 3, 4, 5],
        requests: 4,
        warnings: [],
      })
  })

  test.each<[string, (cursor: string | undefined, count: number) => JsonObject, unknown[], number]>([
    [
      'a cursor that never changes, pages that do',
      (_, count) => ({ things: [count], nextCursor: 'x' }),
      [0, 1, 2, 3, 4, 5, 6, 7],
      8,
    ],
    ['a place that the server keeps', (_, count) => ({ things: count < 3 ? [count] : [], nextCursor: 'x' }), [0, 1, 2], 4],
    ['a cursor that is ignored', () => ({ things: [1, 2], nextCursor: 'x' }), [1, 2], 2],
    ['new cursors that are ignored', (_, count) => ({ things: [1, 2], nextCursor: `${count}` }), [1, 2], 2],
    [
      'pages in a circle',
      (cursor = 'a') => ({ things: [cursor], nextCursor: { a: 'b', b: 'c', c: 'a' }[cursor] }),
      ['a', 'b', 'c'],
      5,
    ],
    ['pages without end', (_, count) => ({ things: [count], nextCursor: `${count}` }), [0, 1, 2, 3, 4, 5, 6, 7], 8],
    ['empty pages without end', (_, count) => ({ things: [], nextCursor: `${count}` }), [], 8],
    ['empty pages and one cursor', () => ({ things: [], nextCursor: 'x' }), [], 2],
  ])('ends with what was read: %s', async (_name, pageOf, items, requests) => {
    const result = await list(pageOf, { maxPages: 8 })
    expect([...new Set(result.items)]).toEqual(items)
    expect(result.requests).toBe(requests)
    expect(result.warnings).toEqual([expect.stringContaining(METHOD)])
  })

  test('an unknown method is an empty list if the server declares it', async () => {
    const refuse = (code: number) => (): never => {
      throw new RpcError(code, 'no')
    }
    const isDeclared = (): boolean => true
    expect(await list(refuse(ErrorCode.methodNotFound), { isDeclared })).toMatchObject({
      items: [],
      warnings: [expect.stringContaining(METHOD)],
    })
    await expect(list(refuse(ErrorCode.methodNotFound))).rejects.toThrow('no')
    await expect(list(refuse(ErrorCode.internalError), { isDeclared })).rejects.toThrow('no')
  })

  test('a later page that fails makes the list fail', async () => {
    const pageOf = (_: unknown, count: number): JsonObject => {
      if (count > 0) throw new RpcError(ErrorCode.methodNotFound, 'no')
      return { things: [1], nextCursor: 'x' }
    }
    await expect(list(pageOf, { isDeclared: () => true })).rejects.toThrow('no')
  })
})
