import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { RpcError } from '../jsonrpc/errors.ts'
import { createSealer } from '../stores/seal.ts'
import { type Page, type PageOptions, page } from './paging.ts'

interface Item {
  name: string
  at: number
}

const sealer = createSealer()
const names = (count: number): Item[] => Array.from({ length: count }, (_, at) => ({ name: `item ${at}`, at }))
const options: PageOptions<Item> = { size: 2, keyOf: ({ name }) => name, list: 'tools/list' }
const exact: PageOptions<Item> = { ...options, positionOf: ({ at }) => at }

async function next(items: readonly Item[], cursor: string | undefined, where: PageOptions<Item> = options): Promise<Page<Item>> {
  return page(items, { ...where, cursor }, sealer)
}

async function refusal(asking: Promise<unknown>): Promise<unknown> {
  return asking.then(
    () => 'a page',
    (error: unknown) => (error instanceof RpcError ? [error.code, error.message] : error),
  )
}

describe('pages', () => {
  test('PAG-001: cover the list, in order, whatever the size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(30), fc.integer({ min: 1, max: 12 }), fc.boolean(), async (count, size, isExact) => {
        const items = names(count)
        const seen: Item[] = []
        let cursor: string | undefined
        do {
          const found: Page<Item> = await next(items, cursor, { ...(isExact ? exact : options), size })
          expect(found.items.length).toBe(Math.min(size, count - seen.length))
          seen.push(...found.items)
          cursor = found.nextCursor
        } while (cursor !== undefined)
        expect(seen).toEqual(items)
      }),
    )
  })

  test('PAG-005: no cursor is made, and none is read, when everything fits', async () => {
    const [seal, open] = [vi.fn(), vi.fn()]
    const items = names(2)
    expect(await page(items, options, { seal, open })).toEqual({ items })
    expect([seal, open].map((mock) => mock.mock.calls.length)).toEqual([0, 0])
  })

  test('PAG-008: whatever comes and goes between pages, what stays is seen exactly once', async () => {
    const change = fc.record({ removed: fc.array(fc.nat(20), { maxLength: 8 }), added: fc.nat(5) })
    await fc.assert(
      fc.asyncProperty(
        fc.nat(20),
        fc.integer({ min: 1, max: 5 }),
        fc.array(change, { maxLength: 12 }),
        async (count, size, changes) => {
          let items = names(count)
          let last = count
          let gone = new Set<number>()
          const seen: number[] = []
          let cursor: string | undefined
          for (let step = 0; step === 0 || cursor !== undefined; step++) {
            const found = await next(items, cursor, { ...exact, size })
            seen.push(...found.items.map(({ at }) => at))
            cursor = found.nextCursor
            const { removed, added } = changes[step] ?? { removed: [], added: 0 }
            const removing = new Set(removed.map((index) => items[index]?.at ?? -1))
            gone = new Set([...gone, ...removing])
            items = items.filter(({ at }) => !removing.has(at))
            for (let more = 0; more < added; more++) items = [...items, { name: `item ${last}`, at: last++ }]
          }
          expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
          expect(seen.filter((at) => at < count && !gone.has(at))).toEqual(
            names(count)
              .map(({ at }) => at)
              .filter((at) => !gone.has(at)),
          )
        },
      ),
    )
  })

  test('PAG-008: without positions, goes on behind the last item, or where it was', async () => {
    const [a, b, c, d] = names(4)
    const items = [a, b, c, d].filter((item) => item !== undefined)
    const { nextCursor } = await next(items, undefined)
    const without = (...gone: unknown[]): Item[] => items.filter((item) => !gone.includes(item))
    expect((await next(without(a), nextCursor)).items).toEqual([c, d])
    expect((await next(without(b), nextCursor)).items).toEqual([c, d])
    expect((await next([{ name: 'new', at: -1 }, ...items], nextCursor)).items).toEqual([c, d])
    expect((await next([], nextCursor)).items).toEqual([])
  })
})

describe('cursors', () => {
  const bad = [-32602, expect.stringMatching(/^Invalid params: the cursor /)]

  test('PAG-009: one that was changed, invented or is no string is refused with -32602', async () => {
    const { nextCursor = '' } = await next(names(5), undefined)
    const cursors = [`${nextCursor}A`, nextCursor.slice(1), nextCursor.toLowerCase(), '', '2', 'null', 7, {}, [nextCursor]]
    for (const cursor of cursors) expect(await refusal(page(names(5), { ...options, cursor }, sealer))).toEqual(bad)
  })

  test('PAG-009: one is refused even when everything fits on one page', async () => {
    expect(await refusal(page(names(1), { ...options, cursor: 'x' }, sealer))).toEqual(bad)
  })

  test('PAG-009: one of another list, another caller or another day is refused', async () => {
    let time = 0
    const timed = createSealer({ now: () => time })
    const { nextCursor: cursor } = await page(names(5), { ...options, principal: 'ann' }, timed)
    expect((await page(names(5), { ...options, cursor, principal: 'ann' }, timed)).items.length).toBe(2)
    expect(await refusal(page(names(5), { ...options, cursor, principal: 'bob' }, timed))).toEqual(bad)
    expect(await refusal(page(names(5), { ...options, cursor }, timed))).toEqual(bad)
    expect(await refusal(page(names(5), { ...options, cursor, principal: 'ann', list: 'prompts/list' }, timed))).toEqual(bad)
    time = 86_400_000
    expect(await refusal(page(names(5), { ...options, cursor, principal: 'ann' }, timed))).toEqual(bad)
  })

  test('PAG-002: one does not show what it holds', async () => {
    const { nextCursor = '' } = await next(names(5), undefined)
    expect(Buffer.from(nextCursor, 'base64url').toString('latin1')).not.toContain('item')
  })
})
