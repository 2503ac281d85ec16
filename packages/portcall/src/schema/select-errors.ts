/** Selects the errors of the validator that say what to change. The validator reports those of all alternatives. */
import type { JsonObject } from '../jsonrpc/message.ts'

/** An error of the validator: the keyword that failed, a JSON pointer into the value, and the parameters of the keyword. */
export interface ValidatorError {
  readonly keyword: string
  readonly instancePath: string
  /** Where the keyword is, as a JSON Pointer. References count as if the schema that they lead to was in their place. */
  readonly schemaPath: string
  readonly params: object
}

/** An error that is reported. */
export interface SelectedError extends ValidatorError {
  /** The name of a property, if the error is about the name and not the value. */
  readonly name?: string | undefined
}

/** Keywords that list the names of properties that other errors may explain. */
const NAMING: readonly string[] = ['additionalProperties', 'unevaluatedProperties', 'propertyNames']

/** Returns the errors that say what to change, in the order of the validator. */
export function selectErrors(errors: readonly ValidatorError[]): SelectedError[] {
  const unions = errors.filter((error) => unionKeyword(error) !== undefined)
  // Inner alternatives first: what is left of them decides about the outer ones.
  const innermostFirst = unions.sort((a, b) => b.schemaPath.length - a.schemaPath.length)
  const chosen = innermostFirst.reduce<readonly ValidatorError[]>(chooseBranches, errors)
  return withoutExplainedNames(markNames(chosen))
}

/** Returns the keyword of a union that no alternative of matches. */
function unionKeyword({ keyword, params }: ValidatorError): string | undefined {
  if (keyword === 'anyOf') return keyword
  const { passingSchemas } = params as { readonly passingSchemas?: unknown }
  return keyword === 'oneOf' && Array.isArray(passingSchemas) && passingSchemas.length === 0 ? keyword : undefined
}

function isBelow(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`)
}

/** Keeps the errors of the alternatives that a value is most likely meant for. */
function chooseBranches(errors: readonly ValidatorError[], union: ValidatorError): readonly ValidatorError[] {
  const prefix = `${union.schemaPath}/${unionKeyword(union)}/`
  const branchOf = ({ schemaPath, instancePath }: ValidatorError): string | undefined =>
    schemaPath.startsWith(prefix) && isBelow(instancePath, union.instancePath)
      ? schemaPath.slice(prefix.length).split('/', 1)[0]
      : undefined
  const branches = new Map<string, ValidatorError[]>()
  for (const error of errors) {
    const branch = branchOf(error)
    if (branch !== undefined) branches.set(branch, [...(branches.get(branch) ?? []), error])
  }
  if (branches.size < 2) return errors
  const hasType = without(branches, ({ keyword, instancePath }) => keyword === 'type' && instancePath === union.instancePath)
  const meant = without(hasType, (error) => isConstant(error) && isMember(error, union))
  const shared = sharedErrors([...meant.values()], union)
  const kept = new Set(shared.length > 0 ? [] : [...meant.values()].flat())
  const first = errors.findIndex((error) => branchOf(error) !== undefined)
  return errors.flatMap((error, index) => {
    const rest = branchOf(error) === undefined || kept.has(error) ? [error] : []
    return index === first ? [...shared, ...rest] : rest
  })
}

/** Leaves out alternatives with such an error, if there are others. */
function without(
  branches: ReadonlyMap<string, ValidatorError[]>,
  isTelling: (error: ValidatorError) => boolean,
): ReadonlyMap<string, ValidatorError[]> {
  const others = [...branches].filter(([, errors]) => !errors.some(isTelling))
  return others.length > 0 ? new Map(others) : branches
}

const isConstant = ({ keyword }: ValidatorError): boolean => keyword === 'const' || keyword === 'enum'

/** Reports whether an error is about a member of the value of a union. */
function isMember({ instancePath }: ValidatorError, union: ValidatorError): boolean {
  const rest = instancePath.slice(union.instancePath.length + 1)
  return rest !== '' && !rest.includes('/')
}

/** Returns what all alternatives agree on: the values of the member that tells them apart, or the members that all of them require. */
function sharedErrors(branches: readonly ValidatorError[][], union: ValidatorError): ValidatorError[] {
  if (branches.length < 2) return []
  const constants = branches.map((errors) => errors.filter((error) => isConstant(error) && isMember(error, union)))
  const path = constants[0]?.find(({ instancePath }) =>
    constants.every((all) => all.some((other) => other.instancePath === instancePath)),
  )?.instancePath
  if (path !== undefined) {
    const values = constants
      .flat()
      .filter(({ instancePath }) => instancePath === path)
      .flatMap(allowedValues)
    return [{ ...union, keyword: 'enum', instancePath: path, params: { allowedValues: [...new Set(values)] } }]
  }
  const required = branches.map((errors) =>
    errors
      .filter(({ keyword, instancePath }) => keyword === 'required' && instancePath === union.instancePath)
      .flatMap(requiredNames),
  )
  const common = (required[0] ?? []).filter((name) => required.every((names) => names.includes(name)))
  return common.length > 0 ? [{ ...union, keyword: 'required', params: { requiredProperties: common } }] : []
}

function allowedValues({ params }: ValidatorError): unknown[] {
  const { allowedValue, allowedValues } = params as JsonObject
  return Array.isArray(allowedValues) ? allowedValues : [allowedValue]
}

function requiredNames({ params }: ValidatorError): unknown[] {
  const { requiredProperties } = params as JsonObject
  return Array.isArray(requiredProperties) ? requiredProperties : []
}

/** Returns the pointers of the properties that an error names. */
function namedPaths({ instancePath, keyword, params }: ValidatorError): Map<string, string> {
  const names = NAMING.includes(keyword) ? (params as JsonObject)[keyword] : undefined
  if (!Array.isArray(names)) return new Map()
  return new Map(names.map((name) => [`${instancePath}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`, name]))
}

/** Adds the name to the errors of a schema in `propertyNames`. */
function markNames(errors: readonly ValidatorError[]): SelectedError[] {
  const outer = errors
    .filter(({ keyword }) => keyword === 'propertyNames')
    .map((error) => ({ prefix: `${error.schemaPath}/propertyNames`, named: namedPaths(error) }))
  return errors.map((error) => {
    const name = outer.find(({ prefix, named }) => named.has(error.instancePath) && isBelow(error.schemaPath, prefix))
    return name ? { ...error, name: name.named.get(error.instancePath) } : error
  })
}

/** Leaves out names of properties whose value, or name, another error is about. */
function withoutExplainedNames(errors: readonly SelectedError[]): SelectedError[] {
  const explained = new Set(errors.flatMap(({ keyword, instancePath }) => (keyword === 'boolean' ? [] : pathsTo(instancePath))))
  return errors.flatMap((error) => {
    const named = namedPaths(error)
    if (named.size === 0) return [error]
    const names = [...named].flatMap(([path, name]) => (explained.has(path) ? [] : [name]))
    return names.length > 0 ? [{ ...error, params: { ...error.params, [error.keyword]: names } }] : []
  })
}

/** Returns a JSON Pointer and those of everything around it. */
function pathsTo(pointer: string): string[] {
  const steps = pointer.split('/')
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'))
}
