/** The rules of model APIs for tools, as their documentation and error messages state them, apart from what the library knows of them. */

type Schema = Record<string, unknown>

/** A tool as an adapter passes it to an API. */
export interface SentTool {
  readonly name: string
  readonly schema: Schema
  /** True if it is sent in the strict mode of the OpenAI API. */
  readonly strict?: boolean
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)
const hasType = ({ type }: Schema, name: string): boolean => type === name || (Array.isArray(type) && type.includes(name))

/** Visits a schema and all schemas in it, with their paths. */
function* schemasIn(value: unknown, path = ''): Generator<[string, Schema]> {
  if (!isSchema(value)) return
  yield [path, value]
  for (const [keyword, member] of Object.entries(value)) {
    const at = `${path}/${keyword}`
    if (['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'].includes(keyword) && isSchema(member))
      for (const [name, child] of Object.entries(member)) yield* schemasIn(child, `${at}/${name}`)
    else if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword) && Array.isArray(member))
      for (const [index, child] of member.entries()) yield* schemasIn(child, `${at}/${index}`)
    else if (!['const', 'enum', 'default', 'examples'].includes(keyword)) yield* schemasIn(member, at)
  }
}

/** Returns what every API refuses in a tool: its name, its root, and references that lead nowhere. */
export function refusedByAll({ name, schema }: SentTool): string[] {
  const faults: string[] = []
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) faults.push('the name')
  if (schema.type !== 'object') faults.push('the root is no object')
  for (const keyword of ['oneOf', 'anyOf', 'allOf', 'enum', 'not']) if (keyword in schema) faults.push(`${keyword} at the root`)
  for (const property of Object.keys((schema.properties ?? {}) as object))
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(property)) faults.push(`the argument name ${property}`)
  for (const [path, { $ref }] of schemasIn(schema))
    if (typeof $ref === 'string' && !hasTarget($ref, schema)) faults.push(`${path}: ${$ref} has no target`)
  return faults
}

function hasTarget($ref: string, root: Schema): boolean {
  if (!$ref.startsWith('#')) return false
  const parts = $ref.slice(1).split('/').slice(1)
  let node: unknown = root
  for (const part of parts) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    node = (node as Schema | undefined)?.[key]
  }
  return node !== undefined
}

/** Returns what the OpenAI API refuses in a tool beyond that. */
export function refusedByOpenai({ schema, strict }: SentTool): string[] {
  const faults: string[] = []
  for (const [path, node] of schemasIn(schema)) {
    if (hasType(node, 'array') && !isSchema(node.items)) faults.push(`${path}: an array without items`)
    if (hasType(node, 'object') && !isSchema(node.properties)) faults.push(`${path}: an object without properties`)
    if (!strict) continue
    if (hasType(node, 'object') && node.additionalProperties !== false)
      faults.push(`${path}: additionalProperties in strict mode`)
    const missing = Object.keys((node.properties ?? {}) as object).filter((name) => !(node.required as string[])?.includes(name))
    if (missing.length > 0) faults.push(`${path}: ${missing.join()} not required in strict mode`)
    if (typeof node.pattern === 'string' && /\(\?<?[=!]/.test(node.pattern)) faults.push(`${path}: lookaround in strict mode`)
  }
  return faults
}
