import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createQualifiedNames } from './names.ts'

const { join: joinQualifiedName, split: splitQualifiedName } = createQualifiedNames({ maxLength: 128, dots: true })

test.each([
  ['git', 'status', 'git__status'],
  ['git', '_private', 'git___private'],
  ['my-server.v2', 'a__b', 'my-server.v2__a__b'],
])('%s and %s: %s', async (server, name, qualifiedName) => {
  expect(await joinQualifiedName({ server, name })).toBe(qualifiedName)
  expect(splitQualifiedName(qualifiedName)).toEqual({ server, name })
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
  const qualifiedName = await joinQualifiedName({ server, name })
  expect(qualifiedName).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
  expect(qualifiedName).toMatch(/_[0-9a-f]{16}$/)
  expect(splitQualifiedName(qualifiedName)).toBeUndefined()
  expect(await joinQualifiedName({ server, name })).toBe(qualifiedName)
})

test('different items have different names', async () => {
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom('_', 'a', '.', ' '), maxLength: 6 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.tuple(part, part), fc.tuple(part, part), async (left, right) => {
      const [one, other] = await Promise.all([left, right].map(([server, name]) => joinQualifiedName({ server, name })))
      expect(one === other).toBe(left[0] === right[0] && left[1] === right[1])
      expect(one).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
    }),
    { numRuns: 500 },
  )
})

test('a name that looks as if it had a hash gets a hash of its own', async () => {
  const hashed = await joinQualifiedName({ server: 'my server', name: 'x' })
  const [server = '', name = ''] = hashed.split('__')
  expect(await joinQualifiedName({ server, name })).not.toBe(hashed)
})
