import { expect, expectTypeOf, test } from 'vitest'
import { withoutUndefined } from './without-undefined.ts'

test('leaves out undefined members, and nothing else', () => {
  const members = { none: undefined, nothing: null, no: false, zero: 0, empty: '', list: [] }
  expect(Object.keys(withoutUndefined(members))).toEqual(['nothing', 'no', 'zero', 'empty', 'list'])
})

test('a member that may be undefined is optional, and never undefined', () => {
  const members: { readonly a: number | undefined; readonly b: string; readonly c?: boolean } = { a: undefined, b: '' }
  expectTypeOf(withoutUndefined(members)).toExtend<{ readonly a?: number; readonly b: string; readonly c?: boolean }>()
  // @ts-expect-error a may be absent
  expectTypeOf(withoutUndefined(members)).toExtend<{ readonly a: number }>()
})
