import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { ReportFinding } from './finding.ts'

/** Checks the schema of a tool: whether it is valid, and for input whether hosts accept it. */
export async function checkSchema(schema: unknown, use: 'input' | 'output', report: ReportFinding): Promise<void> {
  if (!isObject(schema)) return report('error', `${use}-schema`, `the ${use} schema is not an object`)
  // Output schemas may describe any value. Revisions in which they have to be objects get them in one.
  if (use === 'input' && schema.type !== 'object') report('error', 'input-schema', 'the input schema must have the type "object"')
  if (use === 'input') checkInputSchema(schema, report)
  try {
    await compileSchema(schema, use, { trusted: false }).parse({})
  } catch (error) {
    report('error', `${use}-schema`, `invalid ${use} schema: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Keywords that the documented subsets of some model APIs lack. Which models still refuse them is not confirmed, so this only warns. */
const OUTSIDE_SUBSETS = [
  'oneOf',
  'allOf',
  'not',
  'if',
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedProperties',
  'prefixItems',
  'contains',
  '$dynamicRef',
]

function checkInputSchema(schema: JsonObject, report: ReportFinding): void {
  const undescribed = Object.entries(isObject(schema.properties) ? schema.properties : {})
    .filter(([, property]) => isObject(property) && !property.description && !property.$ref)
    .map(([name]) => name)
  if (undescribed.length > 0) report('warning', 'argument-description', `no description: ${undescribed.join(', ')}`)
  const nested = keywordsBelow(schema)
  const outside = OUTSIDE_SUBSETS.filter((keyword) => nested.has(keyword))
  if (outside.length > 0)
    report('warning', 'input-schema-subset', `some models may ignore or reject ${outside.join(', ')} (not confirmed)`)
}

/** The keywords whose value is a map of names to schemas. The names are not keywords. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** The keywords whose value is data. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example'])

/** Returns the keywords in the schemas below the root. */
export function keywordsBelow(root: JsonObject): ReadonlySet<string> {
  const keywords = new Set<string>()
  const visit = (schema: unknown): void => {
    if (!isObject(schema)) return
    for (const keyword of Object.keys(schema)) keywords.add(keyword)
    for (const child of childrenOf(schema)) visit(child)
  }
  for (const child of childrenOf(root)) visit(child)
  return keywords
}

/** Returns the schemas in the members of a schema. */
function childrenOf(schema: JsonObject): unknown[] {
  return Object.entries(schema).flatMap(([keyword, member]) => {
    if (DATA.has(keyword)) return []
    return SCHEMA_MAPS.has(keyword) && isObject(member) ? Object.values(member) : [member].flat()
  })
}
