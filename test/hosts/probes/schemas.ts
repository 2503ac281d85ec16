import type { JsonObject } from 'portcall/jsonrpc'
import { type ProbeTool, probeTool } from './probe-tool.ts'

const A = { a: { type: 'string' }, b: { type: 'string' } }
const REQUIRED = [{ required: ['a'] }, { required: ['b'] }]

/** Keywords beside `properties` at the root of an input schema. */
const AT_ROOT: { readonly [keyword: string]: JsonObject } = {
  anyOf: { anyOf: REQUIRED },
  oneOf: { oneOf: REQUIRED },
  allOf: { allOf: [{ required: ['a'] }] },
  not: { not: { required: ['a', 'b'] } },
  enum: { enum: [{ a: 'x' }, { a: 'y' }] },
  if: { if: { required: ['a'] }, then: { required: ['b'] }, else: {} },
  $ref: { $ref: '#/$defs/Other', $defs: { Other: { required: ['a'] } } },
  $defs: { $defs: { Other: { type: 'string' } } },
  additionalProperties: { additionalProperties: { type: 'number' } },
  patternProperties: { patternProperties: { '^x-': { type: 'number' } } },
  propertyNames: { propertyNames: { maxLength: 5 } },
  minProperties: { minProperties: 1 },
  maxProperties: { maxProperties: 5 },
  dependentRequired: { dependentRequired: { a: ['b'] } },
  unevaluatedProperties: { unevaluatedProperties: false },
  title: { title: 'Title' },
}

/** Schemas of properties, by the keyword that matters. */
const NESTED: { readonly [keyword: string]: JsonObject } = {
  anyOf: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  oneOf: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  allOf: { allOf: [{ type: 'string' }, { maxLength: 5 }] },
  not: { type: 'string', not: { const: 'x' } },
  enum: { type: 'string', enum: ['x', 'y'] },
  const: { const: 'x' },
  'type of two': { type: ['string', 'null'] },
  $ref: { $ref: '#/$defs/Other' },
  title: { type: 'string', title: 'Title' },
  default: { type: 'string', default: 'x' },
  examples: { type: 'string', examples: ['x'] },
  pattern: { type: 'string', pattern: '^x' },
  format: { type: 'string', format: 'date' },
  minLength: { type: 'string', minLength: 5 },
  maxLength: { type: 'string', maxLength: 5 },
  minimum: { type: 'number', minimum: 5 },
  maximum: { type: 'number', maximum: 5 },
  exclusiveMinimum: { type: 'number', exclusiveMinimum: 5 },
  exclusiveMaximum: { type: 'number', exclusiveMaximum: 5 },
  multipleOf: { type: 'integer', multipleOf: 5 },
  minItems: { type: 'array', items: { type: 'string' }, minItems: 5 },
  maxItems: { type: 'array', items: { type: 'string' }, maxItems: 5 },
  uniqueItems: { type: 'array', items: { type: 'string' }, uniqueItems: true },
  prefixItems: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
  contains: { type: 'array', items: { type: 'string' }, contains: { const: 'x' } },
  required: { type: 'object', properties: { inner: { type: 'string' } }, required: ['inner'] },
  'no properties': { type: 'object' },
  additionalProperties: { type: 'object', additionalProperties: { type: 'number' } },
  'additionalProperties: false': { type: 'object', properties: {}, additionalProperties: false },
  patternProperties: { type: 'object', patternProperties: { '^x-': { type: 'number' } } },
  propertyNames: { type: 'object', propertyNames: { maxLength: 5 } },
  minProperties: { type: 'object', minProperties: 5 },
  maxProperties: { type: 'object', maxProperties: 5 },
  dependentRequired: { type: 'object', properties: A, dependentRequired: { a: ['b'] } },
  unevaluatedProperties: { type: 'object', properties: A, unevaluatedProperties: false },
  if: { type: 'object', properties: A, if: { required: ['a'] }, then: { required: ['b'] }, else: {} },
  'no type': { description: 'Anything' },
  'x-other': { type: 'string', 'x-other': 'x' },
}

export type SchemaProbe = ProbeTool & { readonly keyword: string }

/** Keywords at the root in place of `properties`. */
const ALONE: { readonly [keyword: string]: JsonObject } = Object.fromEntries(
  ['anyOf', 'oneOf', 'allOf'].map((keyword) => [keyword, { [keyword]: [{ properties: A, required: ['a'] }] }]),
)

const slug = (keyword: string): string => keyword.replace(/[^A-Za-z]/g, '')

export const ROOT_PROBES: readonly SchemaProbe[] = Object.entries(AT_ROOT).map(([keyword, schema]) => ({
  ...probeTool(`root/${keyword}`, `root_${slug(keyword)}`, { schema: { properties: A, ...schema } }),
  keyword,
}))

export const ALONE_PROBES: readonly SchemaProbe[] = Object.entries(ALONE).map(([keyword, schema]) => ({
  ...probeTool(`alone/${keyword}`, `alone_${slug(keyword)}`, { schema }),
  keyword,
}))

export const NESTED_PROBES: readonly SchemaProbe[] = Object.entries(NESTED).map(([keyword, property]) => ({
  ...probeTool(`nested/${keyword}`, `nested_${slug(keyword)}`, {
    schema: {
      properties: { value: property },
      required: ['value'],
      ...(keyword === '$ref' && { $defs: { Other: { type: 'string', maxLength: 5 } } }),
    },
  }),
  keyword,
}))

/** A tool with nothing unusual, and one that takes nothing. They show what a host does to every schema. */
export const PLAIN_PROBE: ProbeTool = probeTool('plain', 'plain', { schema: { properties: A, required: ['a'] } })
export const CLOSED_PROBE: ProbeTool = probeTool('closed', 'closed', { schema: { properties: {}, additionalProperties: false } })
