import { expect, expectTypeOf, it } from 'vitest'
import { type JsonForm, toJsonForm } from './json-value.ts'

it('returns what JSON.parse(JSON.stringify(value)) returns, as the type says', () => {
  const user = {
    id: 1,
    name: 'Ada',
    born: new Date(0),
    email: undefined as string | undefined,
    greet() {},
    tags: [undefined, 'x'],
  }
  const stored = toJsonForm(user, 'The user')
  expect(stored).toEqual(JSON.parse(JSON.stringify(user)))
  expectTypeOf(stored.id).toEqualTypeOf<number>()
  expectTypeOf(stored.born).toEqualTypeOf<string>()
  expectTypeOf(stored.email).toEqualTypeOf<string | undefined>()
  expectTypeOf(stored.greet).toEqualTypeOf<undefined>()
  expectTypeOf(stored.tags).toEqualTypeOf<(string | null)[]>()
})

it('keeps the types of what is JSON', () => {
  expectTypeOf<JsonForm<string>>().toEqualTypeOf<string>()
  expectTypeOf<JsonForm<'a' | 'b'>>().toEqualTypeOf<'a' | 'b'>()
  expectTypeOf<JsonForm<void>>().toEqualTypeOf<null>()
  expectTypeOf<JsonForm<number | undefined>>().toEqualTypeOf<number | null>()
  expectTypeOf<JsonForm<unknown>>().toEqualTypeOf<unknown>()
  expectTypeOf<JsonForm<readonly { readonly id?: number }[]>>().toEqualTypeOf<readonly { readonly id?: number }[]>()
  expectTypeOf<JsonForm<bigint | Map<string, string> | (() => void)>>().toEqualTypeOf<never>()
  interface Row {
    [column: string]: unknown
  }
  expectTypeOf<JsonForm<Row[]>>().toEqualTypeOf<Row[]>()
})
