import { isObject, isSchema, type Schema, type SchemaObject, schemasIn } from './schema.ts'

/** How many references in a row are followed. A longer chain is a circle that describes nothing. */
const MAX_REFERENCES = 32

/** Keywords whose values are merged key by key when `allOf` combines schemas. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentRequired', 'dependentSchemas']

/**
 * Returns a schema with its references followed and its `allOf` merged, as far as a form needs it: `root` is the document that
 * references point into. A reference that leads nowhere, or outside of the document, allows everything.
 */
export function resolveSchema(schema: Schema, root: Schema): SchemaObject {
  let current = schema
  const seen: SchemaObject[] = []
  for (let count = 0; count < MAX_REFERENCES; count++) {
    if (current === false) return merged({ not: {} }, seen)
    // What a server sends may be no schema at all.
    if (!isObject(current)) return merged({}, seen)
    const { $ref, ...rest } = current
    const reference = typeof $ref === 'string' ? $ref : dynamicReference(current)
    if (reference === undefined) return merged(mergeAllOf(current, root), seen)
    if (Object.keys(rest).length > 0) seen.push(rest)
    current = findReference(reference, root) ?? true
  }
  return {}
}

const dynamicReference = (schema: SchemaObject): string | undefined =>
  typeof schema['$dynamicRef'] === 'string' ? schema['$dynamicRef'] : undefined

/** Keywords next to a reference apply as well. Those nearest to the place of use win. */
function merged(target: SchemaObject, siblings: SchemaObject[]): SchemaObject {
  return siblings.reduceRight<SchemaObject>((sum, sibling) => mergeTwo(sum, sibling), target)
}

function mergeAllOf(schema: SchemaObject, root: Schema): SchemaObject {
  const parts = schemasIn(schema, 'allOf')
  if (parts.length === 0) return schema
  const { allOf: _, ...own } = schema
  const resolved = parts.map((part) => (containsItself(part, schema) ? {} : resolveSchema(part, root)))
  return [...resolved, own].reduce<SchemaObject>(mergeTwo, {})
}

const containsItself = (part: Schema, schema: SchemaObject): boolean => part === schema

/** Combines two schemas that both apply. Of annotations, those of the second win. */
function mergeTwo(first: SchemaObject, second: SchemaObject): SchemaObject {
  const result: { [keyword: string]: unknown } = { ...first, ...second }
  for (const keyword of MAPS) {
    const [a, b] = [first[keyword], second[keyword]]
    if (isObject(a) && isObject(b)) result[keyword] = mergeProperties(a, b)
  }
  if (Array.isArray(first['required']) && Array.isArray(second['required']))
    result['required'] = [...new Set([...first['required'], ...second['required']])]
  const types = commonTypes(first['type'], second['type'])
  if (types !== undefined) result['type'] = types
  return result
}

/** Members that both schemas describe have to satisfy both. */
function mergeProperties(a: SchemaObject, b: SchemaObject): SchemaObject {
  const shared = Object.keys(b).filter((key) => Object.hasOwn(a, key) && isObject(a[key]) && isObject(b[key]))
  return { ...a, ...b, ...Object.fromEntries(shared.map((key) => [key, { allOf: [a[key], b[key]] }])) }
}

function commonTypes(a: unknown, b: unknown): unknown {
  if (a === undefined || b === undefined) return a ?? b
  const [first, second] = [[a].flat(), [b].flat()]
  const common = second.filter((type) => first.includes(type) || (type === 'integer' && first.includes('number')))
  return common.length === 1 ? common[0] : common.length > 1 ? common : b
}

/** Returns what a `$ref` points at in its document: a JSON pointer, an `$anchor`, or an `$id`. */
export function findReference(reference: string, root: Schema): Schema | undefined {
  if (typeof root === 'boolean') return undefined
  if (reference === '#' || reference === root['$id']) return root
  const hash = reference.indexOf('#')
  const base = hash < 0 ? reference : reference.slice(0, hash)
  const fragment = hash < 0 ? '' : safeDecode(reference.slice(hash + 1))
  const start = base === '' || base === root['$id'] ? root : findById(base, root)
  if (start === undefined) return undefined
  if (fragment === '') return start
  return fragment.startsWith('/') ? followPointer(fragment, start) : findByAnchor(fragment, start)
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function followPointer(pointer: string, root: SchemaObject): Schema | undefined {
  let current: unknown = root
  for (const token of pointer.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(current)) current = current[Number(key)]
    else if (isObject(current) && Object.hasOwn(current, key)) current = current[key]
    else return undefined
  }
  return isSchema(current) ? current : undefined
}

const findById = (id: string, root: SchemaObject): SchemaObject | undefined => search(root, (schema) => schema['$id'] === id)

const findByAnchor = (anchor: string, root: SchemaObject): SchemaObject | undefined =>
  search(root, (schema) => schema['$anchor'] === anchor || schema['$dynamicAnchor'] === anchor)

/** Searches the definitions of a document, where schemas with an `$id` or an `$anchor` are. */
function search(root: SchemaObject, matches: (schema: SchemaObject) => boolean): SchemaObject | undefined {
  if (matches(root)) return root
  const definitions = ['$defs', 'definitions'].flatMap((keyword) => {
    const map = root[keyword]
    return isObject(map) ? Object.values(map).filter(isObject) : []
  })
  for (const definition of definitions) {
    const found = search(definition, matches)
    if (found) return found
  }
  return undefined
}
