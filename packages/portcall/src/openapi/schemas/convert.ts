/** Converts the schemas of OpenAPI 3.0, 3.1 and 3.2 to JSON Schema 2020-12. */
import { isObject, type JsonObject } from '../../entrypoints/jsonrpc.ts'
import type { ApiDocument } from '../document/document.ts'
import { arrayOrEmpty, objectOrEmpty, withoutUndefined } from '../document/json.ts'
import type { ReportIssue } from '../errors.ts'
import { digitsOf } from './integers.ts'
import { type ConvertedSchema, KEYWORDS, type KeywordContext } from './keywords.ts'

/** What a schema describes. Properties that are `readOnly` do not belong to requests, those that are `writeOnly` not to responses. */
export type SchemaUse = 'request' | 'response'

export interface ConverterOptions {
  readonly document: ApiDocument
  readonly use: SchemaUse
  /** Returns the schema that replaces a reference. `isPart` is true in `allOf`, where subtypes do not count. */
  readonly reference: (pointer: string, isPart: boolean) => ConvertedSchema
  readonly report: ReportIssue
}

/** Converts one schema. References become what `reference` returns. */
export type ConvertSchema = (schema: unknown) => ConvertedSchema

/** Creates the function that converts schemas. */
export function createSchemaConverter(options: ConverterOptions): ConvertSchema {
  /** The parts that are being converted in place. One that contains itself stays a reference. */
  const inlined = new Set<JsonObject>()
  const convert = (schema: unknown, isPart = false, hidden: ReadonlySet<string> = new Set()): ConvertedSchema => {
    if (typeof schema === 'boolean') return schema
    if (!isObject(schema)) return {}
    const { document, reference } = options
    if (typeof schema.$ref === 'string') {
      const base = isPart ? options.document.follow(schema) : {}
      // A part of allOf that requires what another part hides is a schema of its own.
      if (!inlined.has(base) && arrayOrEmpty(base.required).some((name) => hidden.has(String(name)))) {
        inlined.add(base)
        const part = convertObject(base, hidden)
        inlined.delete(base)
        return part
      }
      const target = reference(schema.$ref, isPart)
      const { $ref: _, ...siblings } = schema
      return withSiblings(target, document.is30 ? pickDescription(siblings) : siblings)
    }
    return convertObject(schema, hidden)
  }
  const withSiblings = (target: ConvertedSchema, siblings: JsonObject): ConvertedSchema => {
    const { nullable, ...rest } = siblings
    const converted = objectOrEmpty(convert(rest))
    const both =
      Object.keys(converted).length > 0 && isObject(target) ? { ...converted, ...target, ...pickDescription(converted) } : target
    return nullable === true ? orNull(both) : both
  }
  const convertObject = (schema: JsonObject, inherited: ReadonlySet<string>): ConvertedSchema => {
    const hidden = new Set([...inherited, ...hiddenProperties(schema, options)])
    const context: KeywordContext = {
      convert: (part) => convert(part),
      convertPart: (part) => convert(part, true, hidden),
      drop: (problem) => options.report({ where: 'schemas', problem }),
      isResponse: options.use === 'response',
    }
    const keywords = { ...normalizeKeywords(schema, hidden), ...digitsOf(schema) }
    const converted: JsonObject = {}
    for (const [keyword, value] of Object.entries(keywords)) {
      const result = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value, context) : undefined
      if (result !== undefined) converted[keyword] = result
    }
    const alternatives = convertAlternatives(schema, context, options)
    return finish(schema, alternatives ? { ...converted, anyOf: alternatives } : converted)
  }
  return (schema) => convert(schema)
}

function pickDescription({ description, title, nullable }: JsonObject): JsonObject {
  return withoutUndefined({ title, description, nullable })
}

/** Rewrites what has another form in OpenAPI 3.0 and older drafts, and removes hidden properties. */
function normalizeKeywords(schema: JsonObject, hidden: ReadonlySet<string>): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, example, items, properties, required, format, type } = schema
  const keywords: JsonObject = { ...schema, oneOf: undefined }
  if (exclusiveMinimum === true) Object.assign(keywords, { exclusiveMinimum: minimum, minimum: undefined })
  if (exclusiveMaximum === true) Object.assign(keywords, { exclusiveMaximum: maximum, maximum: undefined })
  if (example !== undefined && schema.examples === undefined) keywords.examples = [example]
  if (Array.isArray(items)) keywords.prefixItems = items
  if (isObject(properties))
    keywords.properties = Object.fromEntries(Object.entries(properties).filter(([name]) => !hidden.has(name)))
  if (Array.isArray(required)) keywords.required = required.filter((name) => !hidden.has(name))
  if (format === 'byte' && type === 'string') Object.assign(keywords, { format: undefined, contentEncoding: 'base64' })
  if (type === 'file') keywords.type = 'string'
  if (type === 'string' && Array.isArray(schema.enum))
    keywords.enum = schema.enum.map((value) => (value === null ? null : String(value)))
  if (Array.isArray(keywords.enum) && (type === 'number' || type === 'integer'))
    keywords.enum = keywords.enum.map((value) =>
      typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value,
    )
  return keywords
}

/** Returns the names of properties that do not belong to a request or a response, also those of the parts of `allOf`. */
function hiddenProperties(schema: JsonObject, options: ConverterOptions, depth = 0): string[] {
  const { document, use } = options
  const marker = use === 'request' ? 'readOnly' : 'writeOnly'
  const isHidden = (property: unknown): boolean =>
    objectOrEmpty(property)[marker] === true || document.follow(property)[marker] === true
  const own = Object.entries(objectOrEmpty(schema.properties)).filter(([, property]) => isHidden(property))
  const parts = depth < 8 ? arrayOrEmpty(schema.allOf) : []
  return [...own.map(([name]) => name), ...parts.flatMap((part) => hiddenProperties(document.follow(part), options, depth + 1))]
}

/**
 * Converts `oneOf` to `anyOf`: branches overlap in practice, and providers of models accept only `anyOf`. A discriminator becomes a
 * constant in each branch.
 */
function convertAlternatives(schema: JsonObject, context: KeywordContext, options: ConverterOptions): unknown[] | undefined {
  const branches = arrayOrEmpty(schema.oneOf)
  const all = branches.length > 0 ? branches : arrayOrEmpty(schema.anyOf)
  if (all.length === 0) return undefined
  const { propertyName, mapping } = objectOrEmpty(schema.discriminator)
  return all.map((branch) => {
    const converted = context.convert(branch)
    const { $ref } = objectOrEmpty(branch)
    if (typeof propertyName !== 'string' || typeof $ref !== 'string' || options.use === 'response') return converted
    return withDiscriminator(converted, propertyName, discriminatorValues($ref, objectOrEmpty(mapping)))
  })
}

/** Returns a schema that requires a property to have one of some values. */
export function withDiscriminator(schema: ConvertedSchema, propertyName: string, values: readonly string[]): ConvertedSchema {
  const [first] = values
  const property = values.length === 1 ? { const: first } : { enum: values }
  return { allOf: [schema, { properties: { [propertyName]: property }, required: [propertyName] }] }
}

/** Returns the values of a discriminator that stand for a schema: those of the mapping, otherwise the name of the schema. */
export function discriminatorValues(pointer: string, mapping: JsonObject): string[] {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1)
  const values = Object.entries(mapping).filter(([, target]) => target === pointer || target === name)
  return values.length > 0 ? values.map(([value]) => value) : [name]
}

function finish(schema: JsonObject, converted: JsonObject): ConvertedSchema {
  return schema.nullable === true ? orNull(converted) : converted
}

/** Returns a schema that accepts null, too. */
function orNull(schema: ConvertedSchema): ConvertedSchema {
  if (!isObject(schema)) return schema
  const { type, enum: values } = schema
  const isSimple = !['$ref', 'allOf', 'anyOf', 'not', 'const'].some((keyword) => Object.hasOwn(schema, keyword))
  if (isSimple && type === undefined && values === undefined) return schema
  if (!isSimple) return { anyOf: [schema, { type: 'null' }] }
  return {
    ...schema,
    ...(type !== undefined && { type: [...new Set([...(Array.isArray(type) ? type : [type]), 'null'])] }),
    ...(Array.isArray(values) && { enum: values.includes(null) ? values : [...values, null] }),
  }
}
