import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { isUrl } from '../../../../util/src/parse-url.ts'
import type { QualifiedName } from '../../connect/group/names.ts'
import { createNameRoutes } from './names.ts'
import { createUriRoutes } from './uris.ts'

const part = fc.oneof(
  fc.string({ unit: fc.constantFrom('_', 'a', 'b', '-', '.', '+'), minLength: 1, maxLength: 8 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }),
)

/** Returns pseudo-random items, each pair once. */
function createItems(count: number): QualifiedName[] {
  const pairs = fc.sample(fc.tuple(part, part), { numRuns: count, seed: 42 })
  const unique = new Map(pairs.map(([server, name]) => [JSON.stringify([server, name]), { server, name }]))
  return [...unique.values()]
}

describe('names', () => {
  test('of 100,000 pairs are unique, valid, stable and reversible', async () => {
    const items = createItems(100_000)
    const servers = new Map(items.map(({ server }) => [server, true]))
    const routes = createNameRoutes({ servers })
    const exposed = await routes.expose(items)
    expect(new Set(exposed).size).toBe(items.length)
    for (const [index, name] of exposed.entries()) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,60}$/)
      expect(routes.resolve(String(name))).toEqual(items[index])
    }
    const again = await createNameRoutes({ servers: new Map() }).expose(items.slice(0, 1000).reverse())
    expect([...again].reverse()).toEqual(exposed.slice(0, 1000))
  }, 60_000)

  test.each([
    [60, false],
    [63, false],
    [64, false],
    [128, true],
  ])('have at most %i characters', async (maxLength, dots) => {
    const long = 'n'.repeat(100)
    const names = await createNameRoutes({ servers: new Map([['s', true]]), maxLength, dots }).expose([
      { server: 's', name: `${long}one and twenty chars` },
      { server: 's', name: `${long}two and twenty chars` },
      { server: 's', name: 'a.b' },
    ])
    expect(new Set(names).size).toBe(3)
    expect(Math.max(...names.map((name) => String(name).length))).toBe(maxLength)
    expect(names[2] === 's__a.b').toBe(dots)
  })

  test('get the server only on conflict, or never', async () => {
    const items = [
      { server: 'one', name: 'search' },
      { server: 'two', name: 'search' },
      { server: 'two', name: 'fetch' },
      { server: 'two', name: 'one__search' },
    ]
    const servers = new Map([
      ['one', 1],
      ['two', 2],
    ])
    const onConflict = await createNameRoutes({ servers, mode: 'on-conflict' }).expose(items)
    expect(onConflict).toEqual(['one__search', 'two__search', 'fetch', 'two__one__search'])
    expect(await createNameRoutes({ servers, mode: 'never' }).expose(items)).toEqual([
      'search',
      undefined,
      'fetch',
      'one__search',
    ])
  })
})

test('URIs and templates are marked in a reversible way, also by nested gateways', () => {
  fc.assert(
    fc.property(fc.uniqueArray(part, { minLength: 2, maxLength: 5 }), fc.webUrl(), (servers, uri) => {
      const routes = createUriRoutes(servers)
      for (const server of servers) {
        const marked = routes.mark(server, uri)
        expect(routes.unmark(marked)).toEqual({ server, uri })
        expect(routes.unmark(routes.mark(server, marked))).toEqual({ server, uri: marked })
        expect(isUrl(marked)).toBe(true)
      }
      expect(routes.unmark(uri)).toBeUndefined()
    }),
  )
  expect(createUriRoutes(['docs', 'other']).mark('docs', 'file:///{path}')).toBe('docs+file:///{path}')
})

test('patterns match like regular expressions, in linear time', () => {
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
  const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 })
  fc.assert(
    fc.property(pattern, name, (pattern, name) => {
      const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name)
      expect(createNameMatcher([pattern])(name)).toBe(expected)
    }),
  )
  expect(createNameMatcher(['*a'.repeat(1000)])('a'.repeat(100_000))).toBe(true)
})
