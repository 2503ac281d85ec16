/** Rewrites the input schemas of tools so that all model APIs accept them. Servers check the arguments by the schemas that they published. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { checkDocument } from '../schema/dialect.ts'
import { ARGUMENT_NAME, allowsType, hasOldLimit, lacksItems, REFUSED_AT_ROOT } from '../schema/model-apis.ts'
import { withPrefixItems } from '../schema/prefix-items.ts'
import { walkSchemas } from '../schema/walk.ts'
import { resolveLocal } from './local-reference.ts'
import { mergeAlternatives } from './merge-alternatives.ts'

/** An input schema that model APIs accept. */
export interface ProviderSchema {
  readonly schema: JsonObject
  /** The names of the arguments that have other names in the schema, by those. */
  readonly originalNames: ReadonlyMap<string, string>
}

/** Returns the schema that an agent passes to the API of its model. @throws SchemaError when a schema is not valid, which no API accepts. */
export function toProviderSchema(inputSchema: JsonObject): ProviderSchema {
  checkDocument(inputSchema, { patterns: true })
  const copy = modernize(inputSchema)
  const { $schema: _, ...root } = followRoot(copy)
  const merged = mergeAlternatives(root)
  for (const keyword of REFUSED_AT_ROOT) delete merged[keyword]
  const { properties, originalNames } = renameArguments(isObject(merged.properties) ? merged.properties : {})
  const renamed = new Map([...originalNames].map(([name, original]) => [original, name]))
  const required = Array.isArray(merged.required) ? merged.required.map((name) => renamed.get(String(name)) ?? name) : []
  return {
    schema: { ...merged, type: 'object', properties, ...(required.length > 0 && { required }) },
    originalNames,
  }
}

/** Returns a root that is a reference as what it refers to. */
function followRoot(root: JsonObject): JsonObject {
  const { $ref, ...siblings } = root
  if (typeof $ref !== 'string') return root
  const target = resolveLocal(root, root)
  return { ...target, ...siblings }
}

/** Rewrites what has another form in older drafts of JSON Schema, and says that the items of arrays may be anything where nothing is said. */
function modernize(schema: JsonObject): JsonObject {
  const modern = structuredClone(withPrefixItems(schema))
  walkSchemas(modern, undefined, (node) => {
    if (lacksItems(node)) node.items = {}
    if (!hasOldLimit(node)) return undefined
    for (const [limit, exclusive] of LIMITS) {
      if (node[exclusive] === true) Object.assign(node, { [exclusive]: node[limit], [limit]: undefined })
      if (typeof node[exclusive] === 'boolean' || node[exclusive] === undefined) delete node[exclusive]
    }
    return undefined
  })
  return modern
}

const LIMITS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const
const MAPS: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const DATA: readonly string[] = ['const', 'enum', 'default', 'examples']

/** Adds the members that the OpenAI API requires: the properties of objects, and the items of arrays. */
export function withRequiredKeywords(schema: JsonObject): JsonObject {
  return complete(schema) as JsonObject
}

function complete(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(complete)
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (DATA.includes(keyword)) return [keyword, value]
    return [keyword, MAPS.includes(keyword) && isObject(value) ? mapValues(value, complete) : complete(value)]
  })
  const completed: JsonObject = Object.fromEntries(entries)
  if (allowsType(schema, 'object') && !isObject(schema.properties)) completed.properties = {}
  if (allowsType(schema, 'array') && !isObject(schema.items)) {
    completed.items = {}
    if (schema.items === false && Array.isArray(schema.prefixItems)) completed.maxItems ??= schema.prefixItems.length
  }
  return completed
}

const MAX_NAME_LENGTH = 64

/** Gives names to arguments whose own names an API refuses. Names that can stay do. */
function renameArguments(properties: JsonObject): { properties: JsonObject; originalNames: ReadonlyMap<string, string> } {
  const taken = new Set(Object.keys(properties).filter((name) => ARGUMENT_NAME.test(name)))
  const originalNames = new Map<string, string>()
  const entries = Object.entries(properties).map(([name, schema]): [string, unknown] => {
    if (ARGUMENT_NAME.test(name)) return [name, schema]
    const renamed = freeName(name, taken)
    taken.add(renamed)
    originalNames.set(renamed, name)
    const about = isObject(schema) && typeof schema.description === 'string' ? `${schema.description} ` : ''
    return [renamed, { ...(isObject(schema) && schema), description: `${about}Sent as ${JSON.stringify(name)}.` }]
  })
  return { properties: Object.fromEntries(entries), originalNames }
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  const base =
    name
      .replaceAll(/[^a-zA-Z0-9_.-]+/g, '_')
      .replaceAll(/^_+|(?<!_)_+$/g, '')
      .slice(0, MAX_NAME_LENGTH - 4) || 'argument'
  if (!taken.has(base)) return base
  for (let count = 2; ; count++) if (!taken.has(`${base}_${count}`)) return `${base}_${count}`
}

function mapValues(value: JsonObject, map: (item: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, map(item)]))
}
