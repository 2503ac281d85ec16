/**
 * Makes the JSON Schema that a schema library exports accept all values that the library accepts. Peers validate by the JSON Schema, the server
 * by the library: a rule that JSON Schema does not have, or that implementations of JSON Schema read in another way, is translated or left out.
 */
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { portablePattern } from './portable-pattern.ts'
import { walkSchemas } from './walk.ts'

/** The facts about a schema of a library that its JSON Schema does not contain. */
export interface PublishOptions {
  readonly vendor: string
  readonly use: 'input' | 'output'
  /** Keeps formats that are stricter than the library: a person whose input is refused is asked again. */
  readonly keepsFormats?: boolean
  /** The regular expressions of the schema, by their source. JSON Schema has lost their flags. */
  readonly expressions: ReadonlyMap<string, RegExp | undefined>
  /** True if the patterns describe values that the library does not check, such as the output of its own transforms. */
  readonly hasUncheckedPatterns?: boolean
}

/** The formats of each library whose check is at least as strict as the definition of the format. Others are left out: URLs are not URIs (RFC 3986). */
const FORMATS: { readonly [vendor: string]: readonly string[] } = {
  zod: ['date', 'date-time', 'ipv4', 'ipv6', 'uuid'],
  valibot: ['ipv4', 'uuid'],
  arktype: ['ipv4', 'uuid'],
}

/** Returns the schema as it is published. It is a copy. */
export function publishedSchema(schema: JsonObject, options: PublishOptions): JsonObject {
  const copy = JSON.parse(JSON.stringify(schema)) as JsonObject
  walkSchemas(copy, undefined, (node) => {
    if (!options.keepsFormats) publishFormat(node, options)
    publishPatterns(node, options)
    publishNumbers(node, options)
    return undefined
  })
  return copy
}

function publishFormat(node: JsonObject, { vendor }: PublishOptions): void {
  const { format } = node
  if (typeof format === 'string' && !(Object.hasOwn(FORMATS, vendor) && FORMATS[vendor]?.includes(format))) delete node.format
}

function publishPatterns(node: JsonObject, options: PublishOptions): void {
  const { pattern, patternProperties } = node
  if (typeof pattern === 'string') {
    const published = options.hasUncheckedPatterns ? undefined : publishedPattern(pattern, options)
    if (published === undefined) delete node.pattern
    else node.pattern = published
  }
  if (!isObject(patternProperties)) return
  const kept: JsonObject = {}
  for (const [source, schema] of Object.entries(patternProperties)) {
    const published = publishedPattern(source, options)
    // Without the pattern, its properties would count as additional ones.
    if (published === undefined) delete node.additionalProperties
    else kept[published] = schema
  }
  node.patternProperties = kept
}

function publishedPattern(source: string, { expressions }: PublishOptions): string | undefined {
  if (expressions.has(source)) {
    const expression = expressions.get(source)
    return expression && portablePattern(expression)
  }
  return expressionOf(source)
}

function expressionOf(source: string): string | undefined {
  try {
    return portablePattern(new RegExp(source))
  } catch {
    return undefined
  }
}

/**
 * Validators divide binary fractions, so that 0.3 is no multiple of 0.1, and large numbers are none of anything. They count code points, and
 * libraries count code units, of which a code point has at most two: an emoji is no reason to lose a result. What a model should send stays as it
 * was declared.
 */
function publishNumbers(node: JsonObject, { use }: PublishOptions): void {
  const { type, multipleOf, minLength, minimum, maximum } = node
  const isSafe = type === 'integer' && Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum)
  if (!Number.isInteger(multipleOf) || !isSafe) delete node.multipleOf
  if (use === 'output' && typeof minLength === 'number') node.minLength = Math.ceil(minLength / 2)
}

/** Adds a regular expression to those of a schema. Two with one source and different flags have no common pattern. */
export function addExpression(expressions: Map<string, RegExp | undefined>, expression: RegExp): void {
  const { source, flags } = expression
  const known = expressions.get(source)
  const isNew = !expressions.has(source) || known?.flags === flags
  expressions.set(source, isNew ? expression : undefined)
}
