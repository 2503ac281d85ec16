import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinName, splitName } from './names.ts'

test.each([
  ['git', 'status', 'git__status'],
  ['git', '_private', 'git___private'],
  ['my-server.v2', 'a__b', 'my-server.v2__a__b'],
])('%s and %s: %s', async (server, name, joined) => {
  expect(await joinName({ server, name })).toBe(joined)
  expect(splitName(joined)).toEqual({ server, name })
})

test.each([
  ['a__b', 'c'],
  ['a_', 'b'],
  ['', 'b'],
  ['a', ''],
  ['my server', 'say hello'],
  ['ü', '\u{1f600}'],
  ['s'.repeat(200), 'n'.repeat(200)],
  ['a', `b_${'0'.repeat(16)}`],
])('%j and %j get a hash', async (server, name) => {
  const joined = await joinName({ server, name })
  expect(joined).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
  expect(joined).toMatch(/_[0-9a-f]{16}$/)
  expect(splitName(joined)).toBeUndefined()
  expect(await joinName({ server, name })).toBe(joined)
})

test('different origins have different names', async () => {
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom('_', 'a', '.', ' '), maxLength: 6 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.tuple(part, part), fc.tuple(part, part), async (left, right) => {
      const [one, other] = await Promise.all([left, right].map(([server, name]) => joinName({ server, name })))
      expect(one === other).toBe(left[0] === right[0] && left[1] === right[1])
      expect(one).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
    }),
    { numRuns: 500 },
  )
})

test('a name made to look like a hashed one is none', async () => {
  const hashed = await joinName({ server: 'my server', name: 'x' })
  const [server = '', name = ''] = hashed.split('__')
  expect(await joinName({ server, name })).not.toBe(hashed)
})
