import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formSchema } from '../../../../test/support/arbitraries.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { REVISIONS, type Revision } from '../protocol/revisions.ts'
import { type RenderedAsk, renderAsk } from './render-ask.ts'

const [A, B, C, D] = REVISIONS as [Revision, Revision, Revision, Revision]

function askForm(properties: JsonObject, revision: Revision, required?: string[]): RenderedAsk {
  const requestedSchema = { type: 'object', properties, ...(required && { required }) }
  const ask = renderAsk({ method: 'elicitation/create', params: { mode: 'form', message: 'm', requestedSchema } }, revision)
  if (!ask) throw new Error('cannot be asked')
  return ask
}

const propertiesOf = (ask: RenderedAsk): unknown => (ask.params.requestedSchema as JsonObject).properties
const accept = (content: JsonObject): JsonObject => ({ action: 'accept', content })

describe('forms', () => {
  const colors = {
    type: 'array',
    title: 'Colors',
    minItems: 1,
    items: {
      anyOf: [
        { const: 'r', title: 'Red' },
        { const: 'g', title: 'Green' },
      ],
    },
    default: ['g'],
  }

  test('cannot be asked before 2025-06-18', () => {
    for (const revision of [A, B]) expect(() => askForm({}, revision)).toThrow()
  })

  test('ELI-011 are what they are for 2025-11-25', () => {
    const properties = {
      colors,
      size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }], default: 's' },
      age: { type: 'integer', default: 3 },
    }
    expect(askForm(properties, D).params).toEqual({ mode: 'form', message: 'm', requestedSchema: { type: 'object', properties } })
  })

  test('ELI-010 titles become enumNames, and only booleans have defaults', () => {
    const ask = askForm(
      {
        size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }], default: 's' },
        ok: { type: 'boolean', default: true },
        age: { type: 'integer', default: 3 },
      },
      C,
    )
    expect(ask.params).not.toHaveProperty('mode')
    expect(propertiesOf(ask)).toEqual({
      size: { type: 'string', enum: ['s'], enumNames: ['Small'] },
      ok: { type: 'boolean', default: true },
      age: { type: 'integer' },
    })
  })

  test('a choice of several becomes one boolean an option, and its answer a list again', () => {
    const ask = askForm({ colors, 'colors.r': { type: 'string' } }, C, ['colors', 'colors.r'])
    expect(propertiesOf(ask)).toEqual({
      'colors.r_': { type: 'boolean', title: 'Colors: Red', description: '(Choose at least 1.)', default: false },
      'colors.g': { type: 'boolean', title: 'Colors: Green', description: '(Choose at least 1.)', default: true },
      'colors.r': { type: 'string' },
    })
    expect(ask.params.requestedSchema).toMatchObject({ required: ['colors.r'] })
    expect(ask.readAnswer(accept({ 'colors.r_': true, 'colors.g': true, 'colors.r': 'x' }))).toEqual(
      accept({ colors: ['r', 'g'], 'colors.r': 'x' }),
    )
    expect(ask.readAnswer(accept({ 'colors.r': 'x' }))).toEqual(accept({ colors: [], 'colors.r': 'x' }))
    expect(ask.readAnswer(accept({ colors: ['g'], 'colors.r': 'x' }))).toEqual(accept({ colors: ['g'], 'colors.r': 'x' }))
  })

  test('a choice of several that nobody has to make is left out when it was not made', () => {
    expect(askForm({ colors }, C).readAnswer(accept({}))).toEqual(accept({}))
    expect(askForm({ colors }, C).readAnswer(accept({ 'colors.r': false }))).toEqual(accept({ colors: [] }))
  })

  test('answers are read liberally: null is absent, one option is a list of one', () => {
    expect(askForm({ colors, name: { type: 'string' } }, D).readAnswer(accept({ colors: 'r', name: null }))).toEqual(
      accept({ colors: ['r'] }),
    )
    expect(askForm({}, C).readAnswer({ action: 'accept', content: null })).toEqual(accept({}))
  })

  test('ELI-013 content belongs to accept only', () => {
    expect(askForm({}, D).readAnswer({ action: 'decline', content: { a: 1 }, _meta: {} })).toEqual({ action: 'decline' })
  })

  test('whatever is chosen comes back', () => {
    fc.assert(
      fc.property(formSchema, fc.subarray(['red', 'green', 'blue']), (schema, chosen) => {
        const ask = askForm(schema.properties as JsonObject, C)
        const lists = Object.entries(schema.properties).filter(([, field]) => (field as JsonObject).type === 'array')
        const asked = Object.entries(propertiesOf(ask) as JsonObject).filter(([name]) => !(name in schema.properties))
        const filled = asked.map(([name]) => [name, chosen.includes(name.replace(/^.*\./, '').replace(/_+$/, ''))] as const)
        const { content } = ask.readAnswer(accept(Object.fromEntries(filled)))
        for (const [name, field] of lists) {
          const { items } = field as { items: { enum?: string[]; anyOf?: { const: string }[] } }
          const options = items.enum ?? items.anyOf?.map((option) => option.const) ?? []
          expect((content as JsonObject)[name]).toEqual(options.filter((option) => chosen.includes(option)))
        }
        expect(Object.keys(content as JsonObject)).toHaveLength(lists.length)
      }),
    )
  })
})

describe('URLs', () => {
  const input = { method: 'elicitation/create' as const, params: { mode: 'url', message: 'm', url: 'https://example.com' } }

  test('ELI-025 get an id of their own for 2025-11-25', () => {
    const [first, second] = [renderAsk(input, D), renderAsk(input, D)]
    expect(first?.params).toMatchObject(input.params)
    expect(first?.params.elicitationId).toMatch(/^[\w-]{36}$/)
    expect(first?.params.elicitationId).not.toBe(second?.params.elicitationId)
    expect(first?.readAnswer({ action: 'accept', content: {} })).toEqual({ action: 'accept' })
  })

  test('cannot be shown before', () => {
    for (const revision of [A, B, C]) expect(renderAsk(input, revision)).toBeUndefined()
  })
})

describe('questions to a model', () => {
  const ask = (params: JsonObject, revision: Revision): RenderedAsk | undefined =>
    renderAsk({ method: 'sampling/createMessage', params: { maxTokens: 1, ...params } }, revision)
  const text = (value: string): JsonObject => ({ type: 'text', text: value })

  test('SMP-007 SMP-008 several blocks are several messages before 2025-11-25', () => {
    const messages = [
      { role: 'user', content: [text('a'), text('b')], _meta: {} },
      { role: 'assistant', content: text('c') },
    ]
    for (const revision of [A, B, C])
      expect(ask({ messages }, revision)?.params.messages).toEqual([
        { role: 'user', content: text('a') },
        { role: 'user', content: text('b') },
        { role: 'assistant', content: text('c') },
      ])
    expect(ask({ messages }, D)?.params.messages).toEqual(messages)
  })

  test('SMP-009 tools and their use cannot be asked before 2025-11-25', () => {
    const used = [{ role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'n', input: {} }] }]
    const tools = [{ name: 'n', inputSchema: { type: 'object' } }]
    for (const revision of [A, B, C]) {
      expect(ask({ messages: used }, revision)).toBeUndefined()
      expect(ask({ messages: [], tools }, revision)).toBeUndefined()
      expect(ask({ messages: [], tools: [], toolChoice: { mode: 'none' } }, revision)?.params).toEqual({
        maxTokens: 1,
        messages: [],
      })
    }
    expect(ask({ messages: used, tools }, D)?.params).toEqual({ maxTokens: 1, messages: used, tools })
  })

  test('audio cannot be asked of 2024-11-05', () => {
    const messages = [{ role: 'user', content: { type: 'audio', data: '', mimeType: 'audio/wav' } }]
    expect(ask({ messages }, A)).toBeUndefined()
    expect(ask({ messages }, B)?.params).toEqual({ maxTokens: 1, messages })
  })

  test('SMP-028 structured results of tools are objects for 2025-11-25', () => {
    const content = { type: 'tool_result', toolUseId: '1', content: [], structuredContent: [1] }
    expect(ask({ messages: [{ role: 'user', content }] }, D)?.params.messages).toEqual([
      { role: 'user', content: { ...content, structuredContent: { result: [1] } } },
    ])
  })

  test('answers are read liberally', () => {
    const read = ask({ messages: [] }, A)?.readAnswer({ role: 'assistant', model: 'm', stopReason: null, content: { text: 'x' } })
    expect(read).toEqual({ role: 'assistant', model: 'm', content: text('x') })
    expect(ask({ messages: [] }, A)?.readAnswer({ content: [{ text: 'x' }] })).toEqual({ content: [text('x')] })
  })
})

describe('roots', () => {
  test('are asked in every revision, and read liberally', () => {
    for (const revision of [A, B, C, D]) {
      const ask = renderAsk({ method: 'roots/list' }, revision)
      expect(ask).toMatchObject({ method: 'roots/list', params: {} })
      expect(ask?.readAnswer({ roots: [{ uri: 'file:///a', name: null }] })).toEqual({ roots: [{ uri: 'file:///a' }] })
      expect(ask?.readAnswer({ roots: { uri: 'file:///a' } })).toEqual({ roots: [{ uri: 'file:///a' }] })
      expect(ask?.readAnswer({})).toEqual({ roots: [] })
    }
  })
})
