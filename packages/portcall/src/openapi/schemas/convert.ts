/** Converts the schemas of OpenAPI 3.0, 3.1 and 3.2 to JSON Schema 2020-12. */

import { reachable } from '../../../../util/src/parts.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ApiDocument } from '../document/document.ts'
import { arrayOrEmpty, objectOrEmpty } from '../document/json.ts'
import { formFields } from './form-fields.ts'
import { digitsOf } from './integers.ts'
import { type ConvertedSchema, isPattern, KEYWORDS, type KeywordContext, UNSUPPORTED } from './keywords.ts'

/** The direction that a schema describes. Properties that are `readOnly` do not belong to requests, those that are `writeOnly` not to responses. */
export type SchemaUse = 'request' | 'response'

export interface ConverterOptions {
  readonly document: ApiDocument
  readonly use: SchemaUse
  /** Returns the schema that replaces a reference. */
  readonly reference: (pointer: string, options: ReferenceOptions) => ConvertedSchema
  readonly report: (problem: string) => void
}

export interface ReferenceOptions {
  /** True in `allOf`, where subtypes do not count. */
  readonly isPart: boolean
  /** The whole, if it changes what the reference becomes. */
  readonly whole?: Whole
}

/** Converts one schema, as a part of `whole` if there is one. References become what `reference` returns. */
export type ConvertSchema = (schema: unknown, whole?: Whole) => ConvertedSchema

/** Creates the function that converts schemas. */
export function createSchemaConverter(options: ConverterOptions): ConvertSchema {
  const convert = (schema: unknown, whole: Whole = ALONE): ConvertedSchema => {
    if (typeof schema === 'boolean') return schema
    if (!isObject(schema)) return {}
    const { document, reference } = options
    if (typeof schema.$ref === 'string') {
      const depends = dependsOn(document.follow(schema), whole, document)
      const target = reference(schema.$ref, { isPart: whole.isPart, ...(depends && { whole }) })
      const { $ref: _, ...siblings } = schema
      return withSiblings(target, document.is30 ? pickDescription(siblings) : siblings)
    }
    return convertObject(schema, whole)
  }
  const withSiblings = (target: ConvertedSchema, siblings: JsonObject): ConvertedSchema => {
    const { nullable, ...rest } = siblings
    const converted = objectOrEmpty(convert(rest))
    const both =
      Object.keys(converted).length > 0 && isObject(target) ? { ...converted, ...target, ...pickDescription(converted) } : target
    return nullable === true ? orNull(both) : both
  }
  const convertObject = (schema: JsonObject, whole: Whole): ConvertedSchema => {
    const hidden = new Set([...whole.hidden, ...hiddenProperties(schema, options)])
    const names = whole.names ?? namesOfParts(schema, options)
    const convertBranch = (branch: unknown): ConvertedSchema => convert(branch, { ...ALONE, ...(names && { names }) })
    const context: KeywordContext = {
      convert: (part) => convert(part),
      convertPart: (part) => convert(part, { isPart: true, hidden, ...(names && { names }) }),
      drop: options.report,
      isResponse: options.use === 'response',
    }
    const keywords = { ...normalizeKeywords(withNames(schema, names), hidden), ...digitsOf(schema) }
    const converted: JsonObject = {}
    for (const [keyword, value] of Object.entries(keywords)) {
      if (UNSUPPORTED.includes(keyword) && value !== undefined) options.report(`${keyword} is not supported; it is left out`)
      const result = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]?.(value, context) : undefined
      if (result !== undefined) converted[keyword] = result
    }
    const alternatives = convertAlternatives(schema, convertBranch, options)
    return finish(schema, alternatives ? { ...converted, anyOf: alternatives } : converted)
  }
  return convert
}

/** The schema that another one is a part of. */
export interface Whole {
  /** True if the other one is a part of `allOf`. */
  readonly isPart: boolean
  /** The properties that do not belong to the request or the response. */
  readonly hidden: ReadonlySet<string>
  /** The properties that all parts describe, if one of them allows only its own. */
  readonly names?: readonly string[]
}

const ALONE: Whole = { isPart: false, hidden: new Set() }

/** Reports whether a referenced part has to be converted for its whole: it requires what another part hides, or refuses what others describe. */
function dependsOn(base: JsonObject, { isPart, hidden, names }: Whole, document: ApiDocument): boolean {
  const requiresHidden = isPart && arrayOrEmpty(base.required).some((name) => hidden.has(String(name)))
  return requiresHidden || (names !== undefined && isClosed(base, document))
}

const partsOf = ({ allOf, anyOf, oneOf }: JsonObject): unknown[] => [allOf, anyOf, oneOf].flatMap(arrayOrEmpty)

/** Reports whether a schema, or a part of it, allows no properties but its own. */
function isClosed(schema: JsonObject, document: ApiDocument): boolean {
  const all = reachable(schema, (part) => partsOf(part).map(document.follow))
  return all.some(({ additionalProperties }) => additionalProperties === false)
}

/** Returns the properties that the parts of a schema describe together, if one of them allows only its own. */
function namesOfParts(schema: JsonObject, { document, use }: ConverterOptions): string[] | undefined {
  // Schemas of responses allow all properties.
  if (use === 'response' || partsOf(schema).length === 0 || !isClosed(schema, document)) return undefined
  return Object.keys(formFields(schema, document).properties)
}

/**
 * Lets a part that allows only its own properties have those of the other parts. `additionalProperties` does not look at them, so that nothing would
 * satisfy the whole, which no author means.
 */
function withNames(schema: JsonObject, names: readonly string[] = []): JsonObject {
  if (schema.additionalProperties !== false || names.length === 0) return schema
  return {
    ...schema,
    properties: { ...Object.fromEntries(names.map((name) => [name, {}])), ...objectOrEmpty(schema.properties) },
  }
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
  // Names that a pattern would allow must not be refused because the pattern is left out.
  if (isObject(schema.patternProperties) && !Object.keys(schema.patternProperties).every((source) => isPattern(source)))
    keywords.additionalProperties = undefined
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
function hiddenProperties(schema: JsonObject, { document, use }: ConverterOptions): string[] {
  const marker = use === 'request' ? 'readOnly' : 'writeOnly'
  const isHidden = (property: unknown): boolean =>
    objectOrEmpty(property)[marker] === true || document.follow(property)[marker] === true
  const all = reachable(schema, ({ allOf }) => arrayOrEmpty(allOf).map(document.follow))
  return all.flatMap(({ properties }) =>
    Object.entries(objectOrEmpty(properties)).flatMap(([name, property]) => (isHidden(property) ? name : [])),
  )
}

/**
 * Converts `oneOf` to `anyOf`: branches overlap in practice, and providers of models accept only `anyOf`. A discriminator becomes a
 * constant in each branch.
 */
function convertAlternatives(
  schema: JsonObject,
  convertBranch: (branch: unknown) => ConvertedSchema,
  options: ConverterOptions,
): unknown[] | undefined {
  const branches = arrayOrEmpty(schema.oneOf)
  const all = branches.length > 0 ? branches : arrayOrEmpty(schema.anyOf)
  if (all.length === 0) return undefined
  const { propertyName, mapping } = objectOrEmpty(schema.discriminator)
  return all.map((branch) => {
    const converted = convertBranch(branch)
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
