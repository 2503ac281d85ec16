import Type from 'typebox'
import { expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import type { Infer, Schema } from './standard.ts'

function infer<const S extends Schema>(_schema: S): Infer<S> {
  return undefined as Infer<S>
}

it('infers types from plain JSON Schema', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      unit: { enum: ['C', 'F'] },
      tags: { type: 'array', items: { type: ['string', 'null'] } },
      place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'], additionalProperties: false },
      either: { anyOf: [{ type: 'boolean' }, { const: 'auto' }] },
      counts: { type: 'object', additionalProperties: { type: 'number' } },
      anything: {},
    },
    required: ['city', 'unit'],
  } as const
  expectTypeOf<Infer<typeof schema>>().toEqualTypeOf<{
    city: string
    unit: 'C' | 'F'
    days?: number
    tags?: (string | null)[]
    place?: { lat: number }
    either?: boolean | 'auto'
    counts?: { [key: string]: number }
    anything?: unknown
  }>()
})

it('infers inline literals, and unknown for an unknown schema', () => {
  expectTypeOf(infer({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] })).toEqualTypeOf<{
    a: string
  }>()
  expectTypeOf(infer({ type: 'object', 'x-mcp-header': 'A' })).toEqualTypeOf<{ [key: string]: unknown }>()
  expectTypeOf(infer({} as { [key: string]: unknown })).toEqualTypeOf<unknown>()
  expectTypeOf(infer({ $ref: '#' })).toEqualTypeOf<unknown>()
})

it('infers the types of libraries', () => {
  expectTypeOf(infer(z.object({ a: z.string().optional() }))).toEqualTypeOf<{ a?: string | undefined }>()
  expectTypeOf(infer(Type.Object({ a: Type.Optional(Type.String()), b: Type.Array(Type.Number()) }))).toEqualTypeOf<{
    a?: string
    b: number[]
  }>()
})
