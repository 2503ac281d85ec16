import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { markImmutable } from '../../../../util/src/memo.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { createSealer } from '../../stores/sealing/seal.ts'
import { type Page, type PageOptions, paginate } from './paging.ts'

interface Item {
  name: string
  at: number
}

const sealer = createSealer()
const createItems = (count: number): Item[] => Array.from({ length: count }, (_, at) => ({ name: `item ${at}`, at }))
const options: PageOptions<Item> = { size: 2, keyOf: ({ name }) => name, list: 'tools/list' }
const exact: PageOptions<Item> = { ...options, positionOf: ({ at }) => at }

async function next(
  items: readonly Item[],
  cursor: string | undefined,
  pageOptions: PageOptions<Item> = options,
): Promise<Page<Item>> {
  return paginate(items, { ...pageOptions, cursor }, sealer)
}

async function errorOf(paging: Promise<unknown>): Promise<unknown> {
  return paging.then(
    () => 'a page',
    (error: unknown) => (error instanceof RpcError ? [error.code, error.message] : error),
  )
}

describe('pages', () => {
  test('PAG-001: cover the list in order, with any page size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(30), fc.integer({ min: 1, max: 12 }), fc.boolean(), async (count, size, isExact) => {
        const items = createItems(count)
        const seen: Item[] = []
        let cursor: string | undefined
        do {
          const page: Page<Item> = await next(items, cursor, { ...(isExact ? exact : options), size })
          expect(page.items.length).toBe(Math.min(size, count - seen.length))
          seen.push(...page.items)
          cursor = page.nextCursor
        } while (cursor !== undefined)
        expect(seen).toEqual(items)
      }),
    )
  })

  test('PAG-005: have no cursor when everything fits on one page', async () => {
    const [seal, open] = [vi.fn(), vi.fn()]
    const items = createItems(2)
    expect(await paginate(items, options, { seal, open })).toEqual({ items })
    expect([seal, open].map((mock) => mock.mock.calls.length)).toEqual([0, 0])
  })

  test('PAG-008: contain each remaining item exactly once, whatever is added or removed between pages', async () => {
    const change = fc.record({ removed: fc.array(fc.nat(20), { maxLength: 8 }), added: fc.nat(5) })
    await fc.assert(
      fc.asyncProperty(
        fc.nat(20),
        fc.integer({ min: 1, max: 5 }),
        fc.array(change, { maxLength: 12 }),
        async (count, size, changes) => {
          let items = createItems(count)
          let last = count
          let removedAt = new Set<number>()
          const seen: number[] = []
          let cursor: string | undefined
          for (let step = 0; step === 0 || cursor !== undefined; step++) {
            const page = await next(items, cursor, { ...exact, size })
            seen.push(...page.items.map(({ at }) => at))
            cursor = page.nextCursor
            const { removed, added } = changes[step] ?? { removed: [], added: 0 }
            const removing = new Set(removed.map((index) => items[index]?.at ?? -1))
            removedAt = new Set([...removedAt, ...removing])
            items = items.filter(({ at }) => !removing.has(at))
            for (let more = 0; more < added; more++) items = [...items, { name: `item ${last}`, at: last++ }]
          }
          expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
          expect(seen.filter((at) => at < count && !removedAt.has(at))).toEqual(
            createItems(count)
              .map(({ at }) => at)
              .filter((at) => !removedAt.has(at)),
          )
        },
      ),
    )
  })

  test('PAG-008: without positions, start after the last item, or where it was', async () => {
    const [a, b, c, d] = createItems(4)
    const items = [a, b, c, d].filter((item) => item !== undefined)
    const { nextCursor } = await next(items, undefined)
    const without = (...removed: unknown[]): Item[] => items.filter((item) => !removed.includes(item))
    expect((await next(without(a), nextCursor)).items).toEqual([c, d])
    expect((await next(without(b), nextCursor)).items).toEqual([c, d])
    expect((await next([{ name: 'new', at: -1 }, ...items], nextCursor)).items).toEqual([c, d])
    expect((await next([], nextCursor)).items).toEqual([])
  })
})

describe('cursors', () => {
  const bad = [-32602, expect.stringMatching(/^Invalid params: the cursor /)]

  test('PAG-009: are rejected with -32602 when tampered with, forged or not a string', async () => {
    const { nextCursor = '' } = await next(createItems(5), undefined)
    const cursors = [`${nextCursor}A`, nextCursor.slice(1), nextCursor.toLowerCase(), '', '2', 'null', 7, {}, [nextCursor]]
    for (const cursor of cursors) expect(await errorOf(paginate(createItems(5), { ...options, cursor }, sealer))).toEqual(bad)
  })

  test('PAG-009: are rejected even when everything fits on one page', async () => {
    expect(await errorOf(paginate(createItems(1), { ...options, cursor: 'x' }, sealer))).toEqual(bad)
  })

  test('PAG-009: are rejected for another list, for another caller or after a day', async () => {
    let time = 0
    const timed = createSealer({ now: () => time })
    const { nextCursor: cursor } = await paginate(createItems(5), { ...options, principal: 'ann' }, timed)
    expect((await paginate(createItems(5), { ...options, cursor, principal: 'ann' }, timed)).items.length).toBe(2)
    expect(await errorOf(paginate(createItems(5), { ...options, cursor, principal: 'bob' }, timed))).toEqual(bad)
    expect(await errorOf(paginate(createItems(5), { ...options, cursor }, timed))).toEqual(bad)
    expect(
      await errorOf(paginate(createItems(5), { ...options, cursor, principal: 'ann', list: 'prompts/list' }, timed)),
    ).toEqual(bad)
    time = 86_400_000
    expect(await errorOf(paginate(createItems(5), { ...options, cursor, principal: 'ann' }, timed))).toEqual(bad)
  })

  test('PAG-002: are opaque', async () => {
    const { nextCursor = '' } = await next(createItems(5), undefined)
    expect(Buffer.from(nextCursor, 'base64url').toString('latin1')).not.toContain('item')
  })
})

describe('pages of a list that never changes', () => {
  test('are the same for each caller and position, with a cursor of its own for every caller', async () => {
    const items = markImmutable(createItems(5))
    const first = await next(items, undefined, { ...options, principal: 'ann' })
    const again = { ...options, principal: 'ann' }
    expect(await next(items, undefined, again)).toBe(first)
    expect(await next(items, first.nextCursor, again)).toBe(await next(items, first.nextCursor, again))
    const other = await next(items, undefined, { ...options, principal: 'bob' })
    expect(other.items).toEqual(first.items)
    expect(await errorOf(next(items, other.nextCursor, again))).toEqual(await errorOf(next(items, 'forged', again)))
    expect((await next(items, undefined, { ...options, size: 3 })).items).toHaveLength(3)
  })

  test('have a new cursor after an hour, before the old one expires', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const items = markImmutable(createItems(5))
    const clocked = createSealer()
    const first = await paginate(items, options, clocked)
    vi.advanceTimersByTime(61 * 60_000)
    const second = await paginate(items, options, clocked)
    expect(second.nextCursor).not.toBe(first.nextCursor)
    vi.advanceTimersByTime(23.5 * 3_600_000)
    await expect(paginate(items, { ...options, cursor: first.nextCursor }, clocked)).rejects.toThrow('the cursor has expired')
    expect((await paginate(items, { ...options, cursor: second.nextCursor }, clocked)).items).toHaveLength(2)
  })
})
