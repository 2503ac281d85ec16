import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** How many of the values that a schema allows are objects: all, some or none. */
export type ObjectCoverage = 'all' | 'some' | 'none'

/** Determines whether a schema allows only objects or no objects. Returns `some` for both, and if it cannot be determined. */
export function objectCoverage(schema: JsonObject): ObjectCoverage {
  return coverageOf(schema, { root: schema, results: new Map() })
}

interface Analysis {
  readonly root: JsonObject
  /** The coverage of each subschema. A subschema that is still being analyzed counts as `some`, which ends recursion. */
  readonly results: Map<JsonObject, ObjectCoverage>
}

function coverageOf(schema: unknown, analysis: Analysis): ObjectCoverage {
  if (schema === false) return 'none'
  if (!isObject(schema)) return 'some'
  let coverage = analysis.results.get(schema)
  if (!coverage) {
    analysis.results.set(schema, 'some')
    coverage = intersect(keywordCoverages(schema, analysis))
    analysis.results.set(schema, coverage)
  }
  return coverage
}

/** Returns the coverage that each keyword of a schema allows. */
function keywordCoverages(schema: JsonObject, analysis: Analysis): ObjectCoverage[] {
  const { $ref, allOf, anyOf, oneOf } = schema
  const coverages = [typeCoverage(schema.type), valueCoverage(schema)]
  if (typeof $ref === 'string') coverages.push(coverageOf(resolveReference(analysis.root, $ref), analysis))
  if (Array.isArray(allOf)) for (const part of allOf) coverages.push(coverageOf(part, analysis))
  for (const alternatives of [anyOf, oneOf])
    if (Array.isArray(alternatives)) coverages.push(unite(alternatives.map((part) => coverageOf(part, analysis))))
  return coverages
}

/** Returns the coverage of a value that satisfies every constraint. */
function intersect(coverages: readonly ObjectCoverage[]): ObjectCoverage {
  if (coverages.includes('none')) return 'none'
  return coverages.includes('all') ? 'all' : 'some'
}

/** Returns the coverage of a value that satisfies at least one alternative. */
function unite(coverages: readonly ObjectCoverage[]): ObjectCoverage {
  const [first = 'some'] = coverages
  return coverages.every((coverage) => coverage === first) ? first : 'some'
}

function typeCoverage(type: unknown): ObjectCoverage {
  if (type === undefined) return 'some'
  const types: unknown[] = Array.isArray(type) ? type : [type]
  if (!types.includes('object')) return 'none'
  return types.length === 1 ? 'all' : 'some'
}

function valueCoverage(schema: JsonObject): ObjectCoverage {
  const values: unknown = 'const' in schema ? [schema.const] : schema.enum
  return Array.isArray(values) ? unite(values.map((value) => (isObject(value) ? 'all' : 'none'))) : 'some'
}

/** Resolves a reference within the document. Returns `undefined` for any other reference. */
function resolveReference(root: JsonObject, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  let target: unknown = root
  for (const segment of reference.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    target = typeof target === 'object' && target !== null && Object.hasOwn(target, key) ? (target as JsonObject)[key] : undefined
  }
  return target
}
