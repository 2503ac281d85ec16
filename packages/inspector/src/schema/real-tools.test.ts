/** The form engine on the tools of published servers. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { fallbacksOf } from './coverage.ts'
import { fieldOf } from './field.ts'
import { problemsOf } from './problems.ts'
import type { Schema } from './schema.ts'
import { initialValue, jsonText, type Path, parseText, startingValue, valueAt, variantOf, withValueAt } from './value.ts'

interface ToolList {
  readonly name: string
  readonly tools: readonly { readonly name: string; readonly inputSchema: Schema; readonly outputSchema?: Schema }[]
}

const LISTS = new URL('../../../../test/composition/fixtures/tool-lists.jsonl.gz', import.meta.url)
const lists = gunzipSync(readFileSync(LISTS))
  .toString()
  .trim()
  .split('\n')
  .map((line): ToolList => JSON.parse(line))
const tools = lists.flatMap((list) => list.tools.map((tool) => ({ ...tool, label: `${list.name}: ${tool.name}` })))

/** Recursive schemas have no largest value. */
const MAX_DEPTH = 5

/** Returns the value of a form in which every member is set, every list has an item, and each choice of a shape is the given one. */
function filled(schema: Schema, root: Schema, { shape = 0, depth = 0 } = {}): unknown {
  const field = fieldOf(schema, root)
  const part = (of: Schema): unknown => filled(of, root, { shape, depth: depth + 1 })
  if (depth < MAX_DEPTH) {
    if (field.kind === 'object') {
      const members = Object.fromEntries(field.members.map((member) => [member.name, part(member.schema)]))
      return field.additional === undefined ? members : { ...members, 'another member': part(field.additional) }
    }
    if (field.kind === 'array') return [...field.prefix.map(part), ...(field.items === undefined ? [] : [part(field.items)])]
    if (field.kind === 'variants') return part(field.variants[shape % field.variants.length]?.schema ?? true)
  }
  if (field.kind === 'choices') return field.options.map(({ value }) => value)
  return field.kind === 'choice' ? field.options.at(-1)?.value : startingValue(schema, root)
}

/** Returns the places of the inputs of a form that shows a value. */
function inputsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const parts = Object.entries(value).flatMap(([key, part]) =>
    inputsOf(part, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return [path, ...parts]
}

/** Returns the places where the form does not show a value in the shape that the schema describes. */
function unshown(value: unknown, schema: Schema, { root, path = [] }: { root: Schema; path?: Path }): string[] {
  const field = fieldOf(schema, root)
  const part = (of: Schema, key: string | number): string[] => unshown(valueAt(value, [key]), of, { root, path: [...path, key] })
  if (value === undefined || (value === null && field.nullable)) return []
  if (field.kind === 'object') return field.members.flatMap((member) => part(member.schema, member.name))
  if (field.kind === 'array' && Array.isArray(value))
    return value.flatMap((_, index) => part(field.prefix[index] ?? field.items ?? true, index))
  if (field.kind !== 'variants') return []
  const variant = field.variants[variantOf(field.variants, value, root)]
  return variant ? unshown(value, variant.schema, { root, path }) : [path.join('/')]
}

test('at least 98 % of the tools need no JSON editor', () => {
  const fallbacks = tools.flatMap(({ label, inputSchema }) => {
    const paths = fallbacksOf(inputSchema)
    return paths.length === 0 ? [] : [`${label} ${paths.join(' ')}`]
  })
  console.log(`${tools.length} tools of ${lists.length} servers, ${fallbacks.length} with a JSON editor\n${fallbacks.join('\n')}`)
  expect(tools.length).toBeGreaterThan(2800)
  expect(fallbacks.length / tools.length).toBeLessThan(0.02)
})

test.each([
  ['what is required', (schema: Schema) => initialValue(schema, schema)],
  ['every member set', (schema: Schema) => filled(schema, schema)],
  ['every member set, and the second of each choice of shapes', (schema: Schema) => filled(schema, schema, { shape: 1 })],
])('form → JSON → form changes no byte: %s', (_name, fillIn) => {
  for (const { label, inputSchema } of tools) {
    const text = jsonText(fillIn(inputSchema))
    const parsed = parseText(text)
    const value = parsed.ok ? parsed.value : undefined
    expect(jsonText(value), label).toBe(text)
    // Typing into an input and undoing that leaves everything as it was.
    for (const path of inputsOf(value)) {
      const shown = valueAt(value, path)
      expect(jsonText(withValueAt(withValueAt(value, path, 'typed'), path, shown)), `${label} ${path.join('/')}`).toBe(text)
    }
    expect(unshown(value, inputSchema, { root: inputSchema }), label).toEqual([])
  }
})

test('what a form starts with breaks no schema, apart from what has to be typed', () => {
  const wrong = tools.flatMap(({ label, inputSchema }) =>
    problemsOf(initialValue(inputSchema, inputSchema) ?? {}, inputSchema)
      .filter(({ isMissing }) => !isMissing)
      .map(({ path, message }) => `${label} ${path.join('/')} ${message}`),
  )
  expect(wrong).toEqual([])
})
