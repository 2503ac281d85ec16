import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import type { JsonSchema } from '../schema/standard.ts'
import { createServer } from './server.ts'

describe('types of a server', () => {
  const server = createServer({ name: 't', version: '1' })

  it('infers arguments and results', () => {
    server.tool(
      'a',
      { input: z.object({ city: z.string() }), output: z.object({ celsius: z.number() }) },
      async ({ city }, call) => {
        expectTypeOf(city).toEqualTypeOf<string>()
        const { days } = await call.elicit('?', z.object({ days: z.number().int() }))
        expectTypeOf(days).toEqualTypeOf<number>()
        return { celsius: 21 }
      },
    )
    server.tool('b', { input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } }, ({ n }) => {
      expectTypeOf(n).toEqualTypeOf<number>()
      return 'x'
    })
    server.tool('c', {}, () => ({ content: [{ type: 'text', text: 'x' }], isError: true }))
    server.tool('c2', {}, async () => [{ type: 'image', data: '', mimeType: 'image/png' }])
    server.tool('c3', {}, async () => {})
    server.tool('c4', { output: z.object({ n: z.number() }) }, () => ({ content: [{ type: 'text', text: 'x' }], isError: true }))
    server.tool('c5', { output: z.object({ n: z.number() }) }, () => ({ structuredContent: { n: 1 }, content: [] }))
    server.tool('c6', { output: z.looseObject({ n: z.number() }) }, () => ({ n: 1, more: 2 }))
    server.tool('c7', { output: {} as JsonSchema }, () => ({ anything: 1 }))
    server.tool('c8', { output: z.object({ n: z.number() }) }, () => {
      if (Math.random() > 1) return { content: [{ type: 'text', text: 'x' }], isError: true }
      return { n: 1 }
    })
    server.tool('c9', {}, () => (Math.random() > 1 ? { content: [{ type: 'text', text: 'x' }], isError: true } : 'x'))
    server.tool('c10', { input: z.object({ n: z.number() }), output: z.object({ n: z.number() }) }, ({ n }) => {
      if (n > 1) return { content: [{ type: 'text', text: 'x' }], isError: true }
      return { structuredContent: { n } }
    })
    server.tool('c11', { input: z.object({ n: z.number() }), output: z.object({ n: z.number() }) }, async ({ n }) => {
      if (n > 1) return { content: [{ type: 'text', text: 'x' }], isError: true }
      return { n }
    })
    server.tool('c12', { input: z.object({ n: z.number() }) }, ({ n }) => {
      if (n > 1) return { content: [{ type: 'text', text: 'x' }], isError: true }
      return [{ type: 'image', data: '', mimeType: 'image/png' }]
    })
    server.tool('c13', { output: z.array(z.number()) }, () => [1])
    server.tool(
      'c14',
      { input: z.object({}), output: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
      () => (Math.random() > 1 ? { a: 'x' } : { b: 'x' }),
    )
    server.resource('notes://{id}', { title: 'Note', complete: { id: () => ['1'] } }, ({ id }) => id)
    server.resource('notes://all', { title: 'Notes', size: 3 }, () => 'all')
    server.prompt(
      'review',
      { arguments: z.object({ code: z.string() }), complete: { code: () => [] } },
      ({ code }) => `Review:\n${code}`,
    )
  })

  it('rejects properties that results do not have', () => {
    // @ts-expect-error a misspelled property
    server.tool('d', {}, () => ({ content: [], isErorr: true }))
    // @ts-expect-error a misspelled property in one of two results
    server.tool('d2', {}, async (_, call) => (call.auth ? 'x' : { content: [], isErorr: true }))
    // @ts-expect-error a misspelled property next to structured content
    server.tool('d3', { output: z.object({ n: z.number() }) }, () => ({ structuredContent: { n: 1 }, contnet: [] }))
    // @ts-expect-error the output lacks a property
    server.tool('e', { output: z.object({ celsius: z.number() }) }, () => ({}))
    // @ts-expect-error the output has an excess property
    server.tool('f', { output: z.object({ celsius: z.number() }) }, () => ({ celsius: 1, fahrenheit: 2 }))
    // @ts-expect-error the output has an excess property that depends on an argument
    server.tool('f2', { input: z.object({ n: z.number() }), output: z.object({ n: z.number() }) }, ({ n }) => ({ n, m: n }))
    // @ts-expect-error a property of the output has the wrong type
    server.tool('f3', { input: z.object({ n: z.number() }), output: z.object({ n: z.number() }) }, ({ n }) => ({ n: String(n) }))
    // @ts-expect-error a property of the structured content has the wrong type
    server.tool('f4', { output: z.object({ n: z.number() }) }, () => ({ structuredContent: { n: '1' } }))
    // @ts-expect-error a misspelled property that depends on an argument
    server.tool('f5', { input: z.object({ n: z.number() }) }, ({ n }) => ({ content: [], isErorr: n > 1 }))
    // @ts-expect-error an invalid content block
    server.tool('g', {}, async () => ({ content: [{ type: 'txt', text: 'x' }] }))
    // @ts-expect-error an unknown variable
    server.resource('notes://{name}', {}, ({ id }) => id)
  })

  it('collects the types of the tools', () => {
    const typed = createServer({ name: 't', version: '1' }).tool('add', { input: z.object({ a: z.number() }) }, ({ a }) =>
      String(a),
    )
    type T = NonNullable<(typeof typed)['~tools']>
    expectTypeOf<T>().toHaveProperty('add')
  })
})
