import { SchemaError } from './errors.ts'
import type { JsonObject } from './standard.ts'
import { isRecord, walkSchemas } from './walk.ts'

/** The dialects of JSON Schema that are understood, by the `$schema` that names them (without scheme and trailing `#`). */
const DIALECTS = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
] as const)

/** A supported dialect of JSON Schema. */
export type Dialect = '2020-12' | '2019-09' | 'draft-07'

const TYPES = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])

/** The base of a document that does not name itself. */
const NOWHERE = 'schema:/'

/**
 * Tells the dialect of a schema: 2020-12 unless `$schema` says otherwise.
 *
 * @throws SchemaError for a dialect that is not supported.
 */
export function dialectOf(schema: JsonObject): Dialect {
  const { $schema } = schema
  if ($schema === undefined) return '2020-12'
  const id = typeof $schema === 'string' ? $schema.replace(/^https?:\/\//, '').replace(/#$/, '') : ''
  for (const [name, dialect] of DIALECTS) if (name === id) return dialect
  throw new SchemaError(`$schema ${short($schema)} is not supported: leave it out (2020-12) or name 2020-12, 2019-09 or draft-07`)
}

/**
 * Checks what can be checked without a value: the dialect, that `type` names types, that patterns are regular expressions, and that each
 * reference leads to a place in this very document. Nothing is ever fetched.
 *
 * @throws SchemaError that names the fault.
 */
export function checkDocument(schema: JsonObject, options: { patterns: boolean }): Dialect {
  const dialect = dialectOf(schema)
  const targets = new Map<string, JsonObject>([[NOWHERE, schema]])
  const references: string[] = []
  walkSchemas(schema, NOWHERE, (node, outer) => {
    const base = collectTargets(node, outer, targets)
    for (const keyword of ['$ref', '$dynamicRef'])
      if (typeof node[keyword] === 'string') references.push(resolve(node[keyword], dialect === 'draft-07' ? outer : base))
    checkType(node)
    if (options.patterns) checkPatterns(node)
    return base
  })
  for (const reference of references) if (!leadsSomewhere(reference, targets)) throw unresolved(reference)
  return dialect
}

/**
 * Rewrites a draft-07 document so that a validator of newer drafts reads it rightly: there, `$ref` makes all keywords beside it void.
 * Changes the schema that it is given.
 */
export function voidSiblings(schema: JsonObject): void {
  walkSchemas(schema, undefined, (node) => {
    if (typeof node.$ref === 'string')
      for (const keyword of Object.keys(node)) if (!['$ref', 'definitions', '$defs'].includes(keyword)) delete node[keyword]
    return undefined
  })
}

function collectTargets(node: JsonObject, outer: string, targets: Map<string, JsonObject>): string {
  const { $id, $anchor, $dynamicAnchor } = node
  const base = typeof $id === 'string' && !$id.startsWith('#') ? resolve($id, outer).replace(/#$/, '') : outer
  if (base !== outer) targets.set(base, node)
  if (typeof $id === 'string' && $id.startsWith('#')) targets.set(base + $id, node)
  for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === 'string') targets.set(`${base}#${anchor}`, node)
  return base
}

function leadsSomewhere(reference: string, targets: ReadonlyMap<string, JsonObject>): boolean {
  if (targets.has(reference)) return true
  const [address = '', fragment = ''] = reference.split('#', 2)
  let place: unknown = targets.get(address)
  if (place === undefined || (fragment !== '' && !fragment.startsWith('/'))) return false
  for (const step of decode(fragment).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, key)) return false
    place = (place as JsonObject)[key]
  }
  return isRecord(place) || typeof place === 'boolean'
}

function resolve(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function unresolved(reference: string): SchemaError {
  const shown = reference.startsWith(NOWHERE) ? reference.slice(NOWHERE.length) : reference
  return new SchemaError(
    `$ref ${short(shown)} leads outside of the schema or nowhere: put what it means into "$defs"; nothing is fetched`,
  )
}

function checkType({ type }: JsonObject): void {
  const types = Array.isArray(type) ? type : [type]
  for (const name of types)
    if (typeof name === 'string' && !TYPES.has(name))
      throw new SchemaError(`${short(name)} is not a type of JSON Schema: use ${[...TYPES].join(', ')}`)
}

function checkPatterns({ pattern, patternProperties }: JsonObject): void {
  const names = isRecord(patternProperties) ? Object.keys(patternProperties) : []
  for (const source of typeof pattern === 'string' ? [pattern, ...names] : names) {
    try {
      new RegExp(source, 'u')
    } catch (cause) {
      throw new SchemaError(`The pattern ${short(source)} is not a regular expression (flag "u")`, { cause })
    }
  }
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
