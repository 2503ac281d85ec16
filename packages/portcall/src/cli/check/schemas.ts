import { compileSchema } from '../../client.ts'
import { isObject, type JsonObject } from '../../jsonrpc.ts'
import type { Report } from './finding.ts'

const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/
const COMBINING = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'] as const
const MAX_DEPTH = 5

/** Looks at a schema of a tool. */
export async function checkSchema(schema: unknown, use: 'input' | 'output', report: Report): Promise<void> {
  if (!isObject(schema)) return report('error', `${use}-schema`, `the ${use} schema is no object`)
  if (schema.type !== 'object') report('error', `${use}-schema`, `the ${use} schema has to have type "object"`)
  if (use === 'input') checkInput(schema, report)
  try {
    await compileSchema(schema, use, { trusted: false }).parse({})
  } catch (error) {
    report(
      'error',
      `${use}-schema`,
      `the ${use} schema cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function checkInput(schema: JsonObject, report: Report): void {
  const combining = COMBINING.filter((keyword) => schema[keyword] !== undefined)
  if (combining.length > 0)
    report('error', 'input-schema-root', `some hosts refuse ${combining.join(', ')} at the root of the input schema`)
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {})
  for (const [name] of properties)
    if (!PROPERTY.test(name)) report('error', 'argument-name', `hosts refuse the argument ${JSON.stringify(name)}`)
  const silent = properties
    .filter(([, property]) => isObject(property) && !property.description && !property.$ref)
    .map(([name]) => name)
  if (silent.length > 0) report('warning', 'argument-description', `without a description: ${silent.join(', ')}`)
  const depth = depthOf(schema)
  if (depth > MAX_DEPTH) report('warning', 'input-schema-depth', `objects are nested ${depth} deep; some hosts take ${MAX_DEPTH}`)
}

function depthOf(schema: unknown): number {
  if (!isObject(schema)) return 0
  const inner = Object.values(isObject(schema.properties) ? schema.properties : {}).map(depthOf)
  return (schema.type === 'object' ? 1 : 0) + Math.max(0, depthOf(schema.items), ...inner)
}
