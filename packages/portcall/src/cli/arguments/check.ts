import { compileSchema, type Issue } from '../../client.ts'
import { isObject, type JsonObject } from '../../jsonrpc.ts'
import { nearest } from '../grammar/nearest.ts'
import { Stop } from '../stop.ts'

/**
 * Checks arguments against the schema of a server. A schema that cannot be used checks nothing: the server has the last word.
 *
 * @throws Stop that names each field which does not fit.
 */
export async function checkArguments(args: JsonObject, schema: JsonObject, what: string): Promise<void> {
  const issues = await issuesOf(args, schema)
  if (issues.length === 0) return
  const faults = issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
  throw new Stop('usage', `the arguments do not fit ${what}: ${faults.join('; ')}`, {
    code: 'INVALID_ARGUMENTS',
    hint: strangeHint(args, schema) ?? typeHint(issues, args),
  })
}

async function issuesOf(args: JsonObject, schema: JsonObject): Promise<readonly Issue[]> {
  try {
    return (await compileSchema(schema, 'input', { trusted: false }).parse(args)).issues ?? []
  } catch {
    return []
  }
}

/** A name that the schema does not have is often a misspelt one. */
function strangeHint(args: JsonObject, schema: JsonObject): string | undefined {
  const names = Object.keys(isObject(schema.properties) ? schema.properties : {})
  const strange = Object.keys(args).find((name) => !names.includes(name))
  const meant = strange === undefined ? undefined : nearest(strange, names)
  return meant === undefined ? undefined : `${strange} is not known; did you mean ${meant}?`
}

/** Text in the place of a list or an object needs to be written as JSON. */
function typeHint(issues: readonly Issue[], args: JsonObject): string | undefined {
  const [first] = issues
  const name = first?.path[0]
  if (typeof name !== 'string' || typeof args[name] !== 'string') return undefined
  return `for other values than text write ${name}:=JSON`
}
