import { parseUrl } from '../../../util/src/parse-url.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { SchemaError } from './errors.ts'
import { walkSchemas } from './walk.ts'

/** The supported dialects by their `$schema`, without its scheme and trailing `#`. */
const DIALECTS = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
] as const)

/** A supported dialect of JSON Schema. */
export type Dialect = '2020-12' | '2019-09' | 'draft-07'

const TYPES = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])

/** The base URI of a document without `$id`. */
const DEFAULT_BASE = 'schema:/'

/** Returns the dialect of a schema. The default is 2020-12. @throws SchemaError if the dialect is not supported. */
export function dialectOf(schema: JsonObject): Dialect {
  const { $schema } = schema
  if ($schema === undefined) return '2020-12'
  const id = typeof $schema === 'string' ? $schema.replace(/^https?:\/\//, '').replace(/#$/, '') : ''
  for (const [name, dialect] of DIALECTS) if (name === id) return dialect
  throw new SchemaError(
    `$schema ${truncate($schema)} is not supported: omit it (for 2020-12), or use 2020-12, 2019-09 or draft-07`,
  )
}

/**
 * Checks a schema document: its dialect, that each `type` exists, that patterns are regular expressions, and that each reference has a target
 * in this document. Nothing is fetched. Returns the dialect.
 *
 * @throws SchemaError if a check fails.
 */
export function checkDocument(schema: JsonObject, options: { patterns: boolean }): Dialect {
  const dialect = dialectOf(schema)
  const targets = new Map<string, JsonObject>([[DEFAULT_BASE, schema]])
  const references: string[] = []
  walkSchemas(schema, DEFAULT_BASE, (node, outer) => {
    const base = collectTargets(node, outer, targets)
    for (const keyword of ['$ref', '$dynamicRef'])
      if (typeof node[keyword] === 'string') references.push(resolve(node[keyword], dialect === 'draft-07' ? outer : base))
    checkType(node)
    if (options.patterns) checkPatterns(node)
    return base
  })
  for (const reference of references) if (!hasTarget(reference, targets)) throw unresolved(reference)
  return dialect
}

/**
 * Removes the keywords next to each `$ref`, in place. Draft-07 ignores them, and validators of newer drafts do not.
 */
export function dropRefSiblings(schema: JsonObject): void {
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

function hasTarget(reference: string, targets: ReadonlyMap<string, JsonObject>): boolean {
  if (targets.has(reference)) return true
  const [uri = '', fragment = ''] = reference.split('#', 2)
  let target: unknown = targets.get(uri)
  if (target === undefined || (fragment !== '' && !fragment.startsWith('/'))) return false
  for (const step of decode(fragment).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return false
    target = (target as JsonObject)[key]
  }
  return isObject(target) || typeof target === 'boolean'
}

function resolve(reference: string, base: string): string {
  return parseUrl(reference, base)?.href ?? reference
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function unresolved(reference: string): SchemaError {
  const shown = reference.startsWith(DEFAULT_BASE) ? reference.slice(DEFAULT_BASE.length) : reference
  return new SchemaError(
    `$ref ${truncate(shown)} has no target in this schema: put the referenced schema into "$defs"; nothing is fetched`,
  )
}

function checkType({ type }: JsonObject): void {
  const types = Array.isArray(type) ? type : [type]
  for (const name of types)
    if (typeof name === 'string' && !TYPES.has(name))
      throw new SchemaError(`${truncate(name)} is not a JSON Schema type: use ${[...TYPES].join(', ')}`)
}

function checkPatterns({ pattern, patternProperties }: JsonObject): void {
  const names = isObject(patternProperties) ? Object.keys(patternProperties) : []
  for (const source of typeof pattern === 'string' ? [pattern, ...names] : names) {
    try {
      new RegExp(source, 'u')
    } catch (cause) {
      throw new SchemaError(`The pattern ${truncate(source)} is not a valid regular expression (flag "u")`, { cause })
    }
  }
}

function truncate(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
