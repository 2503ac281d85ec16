import { describe, expect, test } from 'vitest'
import { compareSnapshots, createIgnore } from './compare-snapshots.ts'
import { diffJson } from './json-diff.ts'
import { readSnapshot, type ServerSnapshot, writeSnapshot } from './snapshot.ts'

const INPUT = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What to look for', minLength: 1 },
    limit: { type: 'integer', maximum: 50 },
    kind: { enum: ['note', 'task'] },
  },
  required: ['query'],
}
const OUTPUT = { type: 'object', properties: { hits: { type: 'integer' } }, required: ['hits'] }
const TOOL = {
  name: 'search',
  description: 'Searches',
  inputSchema: INPUT,
  outputSchema: OUTPUT,
  annotations: { readOnlyHint: true },
}

function snapshotWith(change: (tool: any) => void): ServerSnapshot {
  const tool = structuredClone(TOOL)
  change(tool)
  return { name: 'notes', tools: [tool], prompts: [], resources: [], templates: [] }
}

test('what a revision wraps, and a revision that one side does not know, are no differences', () => {
  const list = { type: 'array', items: { type: 'number' } }
  const wrapped = { type: 'object', properties: { result: list }, required: ['result'] }
  const of = (outputSchema: object, revision?: string): ServerSnapshot => ({
    ...snapshotWith((tool) => (tool.outputSchema = outputSchema)),
    ...(revision !== undefined && { revision }),
  })
  const pointers = (left: ServerSnapshot, right: ServerSnapshot): string[] =>
    compareSnapshots(left, right).map(({ pointer }) => pointer)
  expect(pointers(of(list, '2026-07-28'), of(wrapped, '2025-06-18'))).toEqual(['/revision'])
  expect(pointers(of(wrapped, '2026-07-28'), of(wrapped, '2025-06-18'))).toContain('/outputSchema/type')
  expect(pointers(of(list, '2026-07-28'), of(list))).toEqual([])
  expect(pointers(of(list, '2025-06-18'), of(wrapped, '2025-06-18'))).not.toEqual([])
})

describe('one changed field is one row, marked breaking or not', () => {
  const CASES: readonly (readonly [
    title: string,
    change: (tool: any) => void,
    pointer: string,
    breaking: boolean | undefined,
  ])[] = [
    ['another description', (tool) => (tool.description = 'Finds'), '/description', false],
    ['a new optional argument', (tool) => (tool.inputSchema.properties.sort = {}), '/inputSchema/properties/sort', false],
    ['a required argument', (tool) => tool.inputSchema.required.push('limit'), '/inputSchema/required/1', true],
    ['an argument that is optional now', (tool) => tool.inputSchema.required.pop(), '/inputSchema/required/0', false],
    ['an argument that is gone', (tool) => delete tool.inputSchema.properties.limit, '/inputSchema/properties/limit', true],
    ['another type', (tool) => (tool.inputSchema.properties.limit.type = 'string'), '/inputSchema/properties/limit/type', true],
    [
      'a lower maximum',
      (tool) => (tool.inputSchema.properties.limit.maximum = 10),
      '/inputSchema/properties/limit/maximum',
      true,
    ],
    [
      'a higher maximum',
      (tool) => (tool.inputSchema.properties.limit.maximum = 99),
      '/inputSchema/properties/limit/maximum',
      false,
    ],
    [
      'a higher minimum',
      (tool) => (tool.inputSchema.properties.query.minLength = 3),
      '/inputSchema/properties/query/minLength',
      true,
    ],
    [
      'a new pattern',
      (tool) => (tool.inputSchema.properties.query.pattern = '^a'),
      '/inputSchema/properties/query/pattern',
      true,
    ],
    ['a value that is gone', (tool) => tool.inputSchema.properties.kind.enum.pop(), '/inputSchema/properties/kind/enum/1', true],
    ['a new value', (tool) => tool.inputSchema.properties.kind.enum.push('x'), '/inputSchema/properties/kind/enum/2', false],
    ['no other arguments', (tool) => (tool.inputSchema.additionalProperties = false), '/inputSchema/additionalProperties', true],
    ['a new member of results', (tool) => (tool.outputSchema.properties.next = {}), '/outputSchema/properties/next', false],
    [
      'a member of results that is gone',
      (tool) => delete tool.outputSchema.properties.hits,
      '/outputSchema/properties/hits',
      true,
    ],
    ['a member of results that is optional now', (tool) => tool.outputSchema.required.pop(), '/outputSchema/required/0', true],
    ['no output schema', (tool) => delete tool.outputSchema, '/outputSchema', true],
    ['a hint that promises less', (tool) => (tool.annotations.readOnlyHint = false), '/annotations/readOnlyHint', true],
  ]
  test.each(CASES)('%s', (_, change, pointer, breaking) => {
    const rows = compareSnapshots(
      snapshotWith(() => {}),
      snapshotWith(change),
    )
    expect(rows.map((row) => [row.where, row.pointer, row.breaking])).toEqual([['tool search', pointer, breaking]])
  })

  test('an argument named like a keyword is an argument', () => {
    const withEnum = (type: string): ServerSnapshot => snapshotWith((tool) => (tool.inputSchema.properties.enum = { type }))
    expect(compareSnapshots(withEnum('string'), withEnum('number'))).toMatchObject([
      { pointer: '/inputSchema/properties/enum/type', breaking: true, reason: 'another type' },
    ])
  })
})

test('items are matched by name, and a list that is not known is not compared', () => {
  const left = snapshotWith(() => {})
  const other = { ...TOOL, name: 'other' }
  const right: ServerSnapshot = { name: 'notes', tools: [other, ...(left.tools ?? [])], prompts: [{ name: 'ask' }] }
  expect(compareSnapshots(left, right).map(({ where, change, breaking }) => [where, change, breaking])).toEqual([
    ['tool other', 'added', false],
    ['prompt ask', 'added', false],
  ])
  expect(compareSnapshots({ name: 'notes' }, right)).toEqual([])
})

test('prompts: a new required argument breaks clients', () => {
  const withArguments = (...args: object[]): ServerSnapshot => ({ name: 'n', prompts: [{ name: 'ask', arguments: args }] })
  const rows = compareSnapshots(withArguments(), withArguments({ name: 'a', required: true }, { name: 'b' }))
  expect(rows.map(({ pointer, breaking }) => [pointer, breaking])).toEqual([
    ['/arguments/a', true],
    ['/arguments/b', false],
  ])
})

test('lists are aligned: an insertion is one row, and the order of required members does not count', () => {
  expect(diffJson([1, 2, 3], [1, 9, 2, 3])).toEqual([{ pointer: '/1', change: 'added', after: 9 }])
  expect(diffJson({ required: ['a', 'b'] }, { required: ['b', 'a'] })).toEqual([])
  expect(diffJson({ 'a/b': { '~': 1 } }, { 'a/b': { '~': 2 } })).toEqual([
    { pointer: '/a~1b/~0', change: 'changed', before: 1, after: 2 },
  ])
})

test('ignored members', () => {
  const isIgnored = createIgnore(['/content/*/text', 'structuredContent.time'])
  expect(
    ['/content/0/text', '/content/0/type', '/structuredContent/time/iso', '/structuredContent/times'].map(isIgnored),
  ).toEqual([true, false, true, false])
})

test('snapshot files: written, read, and refused if they are newer', () => {
  const snapshot = snapshotWith(() => {})
  expect(readSnapshot(writeSnapshot(snapshot))).toEqual(snapshot)
  expect(readSnapshot('{"mcpServers":{}}')).toBeUndefined()
  expect(() => readSnapshot('{"portcall":"snapshot","version":2}')).toThrow('version 2')
})
