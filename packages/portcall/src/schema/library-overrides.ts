/** Changes that are made while a schema library converts its schemas, because the JSON Schema alone does not show the need for them. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { addExpression } from './published-schema.ts'

type Expressions = Map<string, RegExp | undefined>

/** The constraints of a text or a number. */
const CONSTRAINTS = [
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'contentEncoding',
  'allOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
] as const

/** Returns the options for a library that converts its own schemas. It reports regular expressions to `expressions`. */
export function libraryOptions(vendor: string, use: 'input' | 'output', expressions: Expressions): JsonObject | undefined {
  if (vendor === 'zod') return { override: (node: ZodNode) => overrideZod(node, use, expressions) }
  if (vendor !== 'valibot') return undefined
  return {
    overrideAction: (node: ValibotAction) => overrideAction(node, use, expressions),
    overrideSchema: (node: ValibotSchema) => overrideSchema(node, use),
  }
}

/** Keeps only what describes a value, because the library accepts any. */
function describeOnly(schema: JsonObject): JsonObject {
  const { title, description, default: value, examples } = schema
  return JSON.parse(JSON.stringify({ title, description, default: value, examples })) as JsonObject
}

// Zod

interface ZodDefinition {
  readonly type: string
  readonly format?: string
  readonly coerce?: boolean
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string; readonly pattern?: RegExp } } }[]
  readonly pattern?: RegExp
  readonly in?: { readonly _zod: { readonly def: ZodDefinition } }
  readonly innerType?: { readonly '~standard': { validate(value: unknown): unknown } }
  readonly defaultValue?: unknown
  readonly catchValue?: (context: object) => unknown
  readonly keyType?: { readonly _zod: { readonly def: ZodDefinition; readonly bag: { readonly patterns?: Iterable<RegExp> } } }
}

interface ZodNode {
  readonly zodSchema: {
    readonly _zod: {
      readonly def: ZodDefinition
      readonly bag: { readonly patterns?: Iterable<RegExp> }
      readonly pattern?: RegExp
    }
  }
  readonly jsonSchema: JsonObject
}

function overrideZod({ zodSchema, jsonSchema }: ZodNode, use: 'input' | 'output', expressions: Expressions): void {
  const { def, bag, pattern } = zodSchema._zod
  for (const expression of [def.pattern, pattern, ...(bag.patterns ?? []), ...(def.keyType?._zod.bag.patterns ?? [])])
    if (expression instanceof RegExp) addExpression(expressions, expression)
  for (const check of def.checks ?? [])
    if (check._zod.def.pattern instanceof RegExp) addExpression(expressions, check._zod.def.pattern)
  // Addresses are parsed as parts of a URL, which accepts more than the pattern.
  if (def.format === 'ipv6' || def.format === 'cidrv6') delete jsonSchema.pattern
  if (def.checks?.some((check) => check._zod.def.check === 'overwrite')) removeConstraints(jsonSchema)
  if (acceptsAnything(def, use)) replace(jsonSchema, describeOnly(jsonSchema))
}

function acceptsAnything(def: ZodDefinition, use: 'input' | 'output'): boolean {
  if (use === 'input')
    return def.coerce === true || def.type === 'catch' || (def.type === 'pipe' && def.in?._zod.def.type === 'transform')
  if (def.type === 'default') return !passes(def, () => def.defaultValue)
  return (
    def.type === 'catch' &&
    !passes(def, () => def.catchValue?.({ value: undefined, issues: [], error: { issues: [] }, input: undefined }))
  )
}

/** Reports whether the inner schema accepts a replacement, which the library does not check. */
function passes({ innerType }: ZodDefinition, replacement: () => unknown): boolean {
  try {
    const result = innerType?.['~standard'].validate(replacement())
    return isObject(result) && !(result instanceof Promise) && result.issues === undefined
  } catch {
    return false
  }
}

function removeConstraints(schema: JsonObject): void {
  for (const keyword of CONSTRAINTS) delete schema[keyword]
}

function replace(schema: JsonObject, replacement: JsonObject): void {
  for (const keyword of Object.keys(schema)) delete schema[keyword]
  Object.assign(schema, replacement)
}

// Valibot

interface ValibotAction {
  readonly valibotAction: { readonly kind: string; readonly type: string; readonly requirement?: unknown }
  readonly jsonSchema: JsonObject & { [CHANGED]?: JsonObject }
  readonly errors?: readonly string[]
}

interface ValibotSchema {
  readonly valibotSchema: {
    readonly type: string
    readonly fallback?: unknown
    readonly items?: readonly { readonly type: string }[]
  }
  readonly jsonSchema: JsonObject
}

/** The schema before a transform, after which the rules no longer apply to the input. */
const CHANGED: unique symbol = Symbol('changed')

/** Transforms that keep the type of a value. The first group keeps the value, too. */
const SAME_VALUE: ReadonlySet<string> = new Set(['brand', 'flavor', 'readonly'])
const SAME_TYPE: ReadonlySet<string> = new Set(['trim', 'trim_start', 'trim_end', 'to_lower_case', 'to_upper_case', 'normalize'])

function overrideAction(
  { valibotAction, jsonSchema, errors }: ValibotAction,
  use: 'input' | 'output',
  expressions: Expressions,
): JsonObject | undefined {
  const { kind, type, requirement } = valibotAction
  const before = jsonSchema[CHANGED]
  if (SAME_VALUE.has(type)) return jsonSchema
  if (SAME_TYPE.has(type)) {
    if (use === 'output') removeConstraints(jsonSchema)
    else jsonSchema[CHANGED] ??= { ...jsonSchema }
    return jsonSchema
  }
  if (kind !== 'validation') return undefined
  if (before) return { ...before, [CHANGED]: before } as JsonObject
  if (!(requirement instanceof RegExp)) return jsonSchema
  addExpression(expressions, requirement)
  const { source } = requirement
  const isSecond = errors?.some((error) => error.includes('in combination with')) ?? jsonSchema.pattern !== source
  if (!isSecond || jsonSchema.pattern === undefined) return { ...jsonSchema, pattern: source }
  return { ...jsonSchema, allOf: [...(Array.isArray(jsonSchema.allOf) ? jsonSchema.allOf : []), { pattern: source }] }
}

const OPTIONAL = /^(exact_optional|optional|nullish|undefinedable)$/

function overrideSchema({ valibotSchema, jsonSchema }: ValibotSchema, use: 'input' | 'output'): JsonObject | undefined {
  if ('fallback' in valibotSchema) return describeOnly(jsonSchema)
  if (/tuple/.test(valibotSchema.type)) {
    const { items = [] } = valibotSchema
    const isOptional = ({ type }: { readonly type: string }): boolean => OPTIONAL.test(type)
    const minItems = items.findLastIndex((item) => !isOptional(item)) + 1
    const prefix = Array.isArray(jsonSchema.prefixItems) ? jsonSchema.prefixItems : []
    // JSON writes an item that is undefined as null.
    const nullable = prefix.map((schema, index) =>
      items[index] && isOptional(items[index]) ? { anyOf: [schema, { type: 'null' }] } : schema,
    )
    return { ...jsonSchema, minItems, ...(use === 'output' && { prefixItems: nullable }) }
  }
  return valibotSchema.type === 'record' ? jsonSchema : undefined
}

// ArkType

interface ArkTypeNode {
  readonly kind?: string
  readonly rule?: unknown
  readonly flags?: unknown
  readonly expression?: unknown
}

interface ArkTypeSchema {
  readonly references?: readonly ArkTypeNode[]
  readonly includesTransform?: boolean
  /** The schema of what it accepts, without what it makes of it. */
  readonly in?: ArkTypeSchema
}

/** The types of ArkType that a JSON value may have, among those that are classes or kinds of values. */
const JSON_TYPES: readonly unknown[] = ['Array', 'object', 'string', 'number', 'boolean', 'null']

/**
 * Returns the type that no JSON value has and that a schema of ArkType requires, such as `Date`. ArkType publishes it as a schema that accepts
 * everything, so that nobody could know what to send. `undefined` if there is none, or if it is one of several alternatives.
 */
export function typeBeyondJson(schema: object, json: JsonObject): string | undefined {
  const { references } = (schema as ArkTypeSchema).in ?? {}
  if (!Array.isArray(references) || !hasEmptySchema(json)) return undefined
  const beyond = references.find(
    ({ kind, expression }: ArkTypeNode) => (kind === 'proto' || kind === 'domain') && !JSON_TYPES.includes(expression),
  )
  const acceptsAnything = references.some(({ expression }: ArkTypeNode) => expression === 'unknown')
  return beyond && !acceptsAnything ? String(beyond.expression) : undefined
}

/** Reports whether a schema, a property or an item may be anything. */
function hasEmptySchema(json: unknown): boolean {
  if (!isObject(json)) return false
  const { $schema: _, ...keywords } = json
  if (Object.keys(keywords).length === 0) return true
  const properties = isObject(json.properties) ? Object.values(json.properties) : []
  return [...properties, ...(json.items === undefined ? [] : [json.items])].some(hasEmptySchema)
}

/** Adds the regular expressions that a schema of ArkType refers to. */
export function collectExpressions(schema: object, expressions: Expressions): Expressions {
  const { references } = schema as ArkTypeSchema
  if (Array.isArray(references))
    for (const { kind, rule, flags } of references)
      if (kind === 'pattern' && typeof rule === 'string')
        addExpression(expressions, new RegExp(rule, typeof flags === 'string' ? flags : ''))
  return expressions
}

/** ArkType describes the output of its own transforms by patterns that the output need not match. */
export function uncheckedPatterns(schema: object, use: 'input' | 'output'): { hasUncheckedPatterns?: true } {
  return use === 'output' && (schema as ArkTypeSchema).includesTransform ? { hasUncheckedPatterns: true } : {}
}
