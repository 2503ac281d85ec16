import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formSchema } from '../../../../../test/support/arbitraries.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { REVISIONS } from '../../protocol/revisions.ts'
import { type DowngradePlan, downgradePlan } from './downgrade-plan.ts'
import { type RenderedInputRequest, renderInputRequest } from './input-requests.ts'

const PLANS = REVISIONS.map(downgradePlan) as [DowngradePlan, DowngradePlan, DowngradePlan, DowngradePlan]
const [A, B, C, D] = PLANS

function renderForm(properties: JsonObject, plan: DowngradePlan, required?: string[]): RenderedInputRequest {
  const requestedSchema = { type: 'object', properties, ...(required && { required }) }
  const rendered = renderInputRequest(
    { method: 'elicitation/create', params: { mode: 'form', message: 'm', requestedSchema } },
    plan,
  )
  if (!rendered) throw new Error('not supported')
  return rendered
}

const propertiesOf = (rendered: RenderedInputRequest): unknown => (rendered.params.requestedSchema as JsonObject).properties
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

  test('are not supported before 2025-06-18', () => {
    for (const plan of [A, B]) expect(() => renderForm({}, plan)).toThrow()
  })

  test('ELI-011 are unchanged in 2025-11-25', () => {
    const properties = {
      colors,
      size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }], default: 's' },
      age: { type: 'integer', default: 3 },
    }
    expect(renderForm(properties, D).params).toEqual({
      mode: 'form',
      message: 'm',
      requestedSchema: { type: 'object', properties },
    })
  })

  test('ELI-010 titles become enumNames, and only booleans have defaults in 2025-06-18', () => {
    const rendered = renderForm(
      {
        size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }], default: 's' },
        ok: { type: 'boolean', default: true },
        age: { type: 'integer', default: 3 },
      },
      C,
    )
    expect(rendered.params).not.toHaveProperty('mode')
    expect(propertiesOf(rendered)).toEqual({
      size: { type: 'string', enum: ['s'], enumNames: ['Small'] },
      ok: { type: 'boolean', default: true },
      age: { type: 'integer' },
    })
  })

  test('a multi-select field becomes one boolean for each option, and the response an array again', () => {
    const rendered = renderForm({ colors, 'colors.r': { type: 'string' } }, C, ['colors', 'colors.r'])
    expect(propertiesOf(rendered)).toEqual({
      'colors.r_': { type: 'boolean', title: 'Colors: Red', description: '(Choose at least 1.)', default: false },
      'colors.g': { type: 'boolean', title: 'Colors: Green', description: '(Choose at least 1.)', default: true },
      'colors.r': { type: 'string' },
    })
    expect(rendered.params.requestedSchema).toMatchObject({ required: ['colors.r'] })
    expect(rendered.readResult(accept({ 'colors.r_': true, 'colors.g': true, 'colors.r': 'x' }))).toEqual(
      accept({ colors: ['r', 'g'], 'colors.r': 'x' }),
    )
    expect(rendered.readResult(accept({ 'colors.r': 'x' }))).toEqual(accept({ colors: [], 'colors.r': 'x' }))
    expect(rendered.readResult(accept({ colors: ['g'], 'colors.r': 'x' }))).toEqual(accept({ colors: ['g'], 'colors.r': 'x' }))
  })

  test('an optional multi-select field without a response is absent', () => {
    expect(renderForm({ colors }, C).readResult(accept({}))).toEqual(accept({}))
    expect(renderForm({ colors }, C).readResult(accept({ 'colors.r': false }))).toEqual(accept({ colors: [] }))
  })

  test('responses are read liberally: null is absent, one option is an array of one', () => {
    expect(renderForm({ colors, name: { type: 'string' } }, D).readResult(accept({ colors: 'r', name: null }))).toEqual(
      accept({ colors: ['r'] }),
    )
    expect(renderForm({}, C).readResult({ action: 'accept', content: null })).toEqual(accept({}))
  })

  test('ELI-013 only accept has content', () => {
    expect(renderForm({}, D).readResult({ action: 'decline', content: { a: 1 }, _meta: {} })).toEqual({ action: 'decline' })
  })

  test('every selection is returned', () => {
    fc.assert(
      fc.property(formSchema, fc.subarray(['red', 'green', 'blue']), (schema, selected) => {
        const rendered = renderForm(schema.properties as JsonObject, C)
        const lists = Object.entries(schema.properties).filter(([, field]) => (field as JsonObject).type === 'array')
        const added = Object.entries(propertiesOf(rendered) as JsonObject).filter(([name]) => !(name in schema.properties))
        const filled = added.map(([name]) => [name, selected.includes(name.replace(/^.*\./, '').replace(/_+$/, ''))] as const)
        const { content } = rendered.readResult(accept(Object.fromEntries(filled)))
        for (const [name, field] of lists) {
          const { items } = field as { items: { enum?: string[]; anyOf?: { const: string }[] } }
          const options = items.enum ?? items.anyOf?.map((option) => option.const) ?? []
          expect((content as JsonObject)[name]).toEqual(options.filter((option) => selected.includes(option)))
        }
        expect(Object.keys(content as JsonObject)).toHaveLength(lists.length)
      }),
    )
  })
})

describe('URL elicitations', () => {
  const input = { method: 'elicitation/create' as const, params: { mode: 'url', message: 'm', url: 'https://example.com' } }

  test('ELI-025 have an ID in 2025-11-25', () => {
    const [first, second] = [renderInputRequest(input, D), renderInputRequest(input, D)]
    expect(first?.params).toMatchObject(input.params)
    expect(first?.params.elicitationId).toMatch(/^[\w-]{36}$/)
    expect(first?.params.elicitationId).not.toBe(second?.params.elicitationId)
    expect(first?.readResult({ action: 'accept', content: {} })).toEqual({ action: 'accept' })
  })

  test('are not supported before that', () => {
    for (const plan of [A, B, C]) expect(renderInputRequest(input, plan)).toBeUndefined()
  })
})

describe('sampling', () => {
  const renderSampling = (params: JsonObject, plan: DowngradePlan): RenderedInputRequest | undefined =>
    renderInputRequest({ method: 'sampling/createMessage', params: { maxTokens: 1, ...params } }, plan)
  const text = (value: string): JsonObject => ({ type: 'text', text: value })

  test('SMP-007 SMP-008 several blocks become several messages before 2025-11-25', () => {
    const messages = [
      { role: 'user', content: [text('a'), text('b')], _meta: {} },
      { role: 'assistant', content: text('c') },
    ]
    for (const plan of [A, B, C])
      expect(renderSampling({ messages }, plan)?.params.messages).toEqual([
        { role: 'user', content: text('a') },
        { role: 'user', content: text('b') },
        { role: 'assistant', content: text('c') },
      ])
    expect(renderSampling({ messages }, D)?.params.messages).toEqual(messages)
  })

  test('SMP-009 tools and tool use are not supported before 2025-11-25', () => {
    const used = [{ role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'n', input: {} }] }]
    const tools = [{ name: 'n', inputSchema: { type: 'object' } }]
    for (const plan of [A, B, C]) {
      expect(renderSampling({ messages: used }, plan)).toBeUndefined()
      expect(renderSampling({ messages: [], tools }, plan)).toBeUndefined()
      expect(renderSampling({ messages: [], tools: [], toolChoice: { mode: 'none' } }, plan)?.params).toEqual({
        maxTokens: 1,
        messages: [],
      })
    }
    expect(renderSampling({ messages: used, tools }, D)?.params).toEqual({ maxTokens: 1, messages: used, tools })
  })

  test('audio is not supported in 2024-11-05', () => {
    const messages = [{ role: 'user', content: { type: 'audio', data: '', mimeType: 'audio/wav' } }]
    expect(renderSampling({ messages }, A)).toBeUndefined()
    expect(renderSampling({ messages }, B)?.params).toEqual({ maxTokens: 1, messages })
  })

  test('SMP-028 structured tool results are objects in 2025-11-25', () => {
    const content = { type: 'tool_result', toolUseId: '1', content: [], structuredContent: [1] }
    expect(renderSampling({ messages: [{ role: 'user', content }] }, D)?.params.messages).toEqual([
      { role: 'user', content: { ...content, structuredContent: { result: [1] } } },
    ])
  })

  test('results are read liberally', () => {
    const read = renderSampling({ messages: [] }, A)?.readResult({
      role: 'assistant',
      model: 'm',
      stopReason: null,
      content: { text: 'x' },
    })
    expect(read).toEqual({ role: 'assistant', model: 'm', content: text('x') })
    expect(renderSampling({ messages: [] }, A)?.readResult({ content: [{ text: 'x' }] })).toEqual({ content: [text('x')] })
  })
})

describe('roots', () => {
  test('are requested in every plan, and read liberally', () => {
    for (const plan of [A, B, C, D]) {
      const rendered = renderInputRequest({ method: 'roots/list' }, plan)
      expect(rendered).toMatchObject({ method: 'roots/list', params: {} })
      expect(rendered?.readResult({ roots: [{ uri: 'file:///a', name: null }] })).toEqual({ roots: [{ uri: 'file:///a' }] })
      expect(rendered?.readResult({ roots: { uri: 'file:///a' } })).toEqual({ roots: [{ uri: 'file:///a' }] })
      expect(rendered?.readResult({})).toEqual({ roots: [] })
    }
  })
})
