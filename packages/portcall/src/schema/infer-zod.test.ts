import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import type { Infer, InferInput } from './standard.ts'

/** `true` if our types of a schema are those of zod, or else a type that shows the difference. */
type Agrees<S extends z.core.$ZodType> =
  Same<Infer<S>, z.output<S>> extends true ? Same<InferInput<S>, z.input<S>> : { output: [Infer<S>, z.output<S>] }
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : { ours: A; zods: B }

const agrees = <S extends z.core.$ZodType>(_schema: S, same: Agrees<S>): void => void same

const plain = z.object({ city: z.string(), days: z.number() })
const tree = z.object({
  name: z.string(),
  get children() {
    return z.array(tree)
  },
})
const list = z.object({
  name: z.string(),
  get next() {
    return list.optional()
  },
})

describe('objects of zod have the types that zod infers', () => {
  it('with required fields', () => {
    agrees(plain, true)
    expectTypeOf<Infer<typeof plain>>().toEqualTypeOf<{ city: string; days: number }>()
    agrees(
      z.object({ unit: z.enum(['C', 'F']), at: z.literal('x'), either: z.union([plain, z.null()]), all: z.tuple([plain]) }),
      true,
    )
    agrees(z.object({ a: z.any(), b: z.unknown(), c: z.undefined(), d: z.never(), e: z.void(), f: z.nullable(z.string()) }), true)
    agrees(z.object({ 'with space': z.string(), 1: z.string() }), true)
    agrees(z.object({ a: z.string().brand('A'), b: z.array(plain), c: z.record(z.string(), plain), d: plain }), true)
  })

  it('with optional fields, in the input or the output', () => {
    agrees(z.object({ a: z.string().optional(), b: z.number() }), true)
    agrees(z.object({ a: z.string().default('x'), b: z.number() }), true)
    agrees(z.object({ a: z.string().prefault('x'), b: z.string().catch('x'), c: z.string().nullish() }), true)
    agrees(z.object({ a: z.string().exactOptional(), b: z.union([z.string().optional(), z.number()]) }), true)
    agrees(z.object({ a: z.lazy(() => z.string().optional()), b: z.optional(z.string()).nonoptional() }), true)
    agrees(plain.partial(), true)
    agrees(plain.partial().required(), true)
  })

  it('with different inputs and outputs', () => {
    agrees(z.object({ a: z.string().transform((text) => text.length), b: z.coerce.number(), c: z.stringbool() }), true)
    agrees(z.object({ a: z.string().pipe(z.transform((text) => [text])), b: z.preprocess(String, z.string().optional()) }), true)
    agrees(z.object({ a: z.string().readonly(), b: z.array(z.string()).readonly() }).readonly(), true)
  })

  it('with additional fields, or none', () => {
    agrees(z.object({}), true)
    agrees(z.strictObject({}), true)
    agrees(z.looseObject({}), true)
    agrees(z.strictObject({ a: z.string() }), true)
    agrees(z.looseObject({ a: z.string() }), true)
    agrees(plain.loose(), true)
    agrees(plain.catchall(z.number()), true)
    // Zod gives this a type that no value has.
    expectTypeOf<Infer<ReturnType<typeof plain.catchall<z.ZodNever>>>>().toEqualTypeOf<{ city: string; days: number }>()
  })

  it('derived from others', () => {
    agrees(plain.extend({ more: z.boolean() }), true)
    agrees(plain.pick({ city: true }), true)
    agrees(plain.omit({ city: true }), true)
    agrees(plain.and(z.object({ more: z.boolean() })), true)
    agrees(
      plain.refine(({ days }) => days > 0),
      true,
    )
    agrees(plain.meta({ title: 'A day' }).describe('x'), true)
    agrees(z.array(plain), true)
    agrees(z.discriminatedUnion('a', [z.object({ a: z.literal(1) }), z.object({ a: z.literal(2), b: z.string() })]), true)
  })

  it('that are recursive', () => {
    agrees(tree, true)
    agrees(list, true)
    expectTypeOf<Infer<typeof tree>['children'][number]['children'][number]['name']>().toEqualTypeOf<string>()
  })

  it('with an unknown shape', () => {
    agrees({} as z.ZodObject, true)
    agrees({} as z.ZodType<{ a: string }>, true)
    agrees({} as z.ZodObject<Record<string, z.ZodNumber>>, true)
    agrees({} as z.ZodObject<any>, true)
  })

  it('of zod/mini', () => {
    agrees(mini.object({ a: mini.string(), b: mini.array(mini.number()) }), true)
    agrees(mini.object({ a: mini.optional(mini.string()), b: mini._default(mini.number(), 1) }), true)
    agrees(mini.looseObject({ a: mini.string() }), true)
  })
})
