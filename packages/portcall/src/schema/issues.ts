import type { Issue, JsonObject } from './standard.ts'
import { MAX_ISSUES } from './standard-issues.ts'
import { isRecord } from './walk.ts'

/** What a JSON Schema validator reports: the keyword that failed, where in the value, and the keyword's parameters. */
export interface Fault {
  keyword: string
  instancePath: string
  params: object
}

type Wording = (params: JsonObject, got: string) => string

const limit: (what: string) => Wording =
  (what) =>
  ({ limit }) =>
    `${what} ${limit}`

/** How each keyword says that it failed. */
const WORDINGS: { readonly [keyword: string]: Wording | undefined } = {
  type: ({ type }, got) => `expected ${list(type, ' or ')}, got ${got}`,
  const: ({ allowedValue }, got) => `expected ${show(allowedValue)}, got ${got}`,
  enum: ({ allowedValues }, got) => `expected one of ${list(allowedValues, ', ', show)}, got ${got}`,
  boolean: () => 'not allowed',
  anyOf: (_, got) => `fits none of the alternatives, got ${got}`,
  oneOf: ({ passingSchemas }, got) =>
    Array.isArray(passingSchemas) && passingSchemas.length > 1
      ? `fits more than one of the alternatives, got ${got}`
      : `fits none of the alternatives, got ${got}`,
  not: (_, got) => `not allowed, got ${got}`,
  if: ({ failingKeyword }) => `does not fit "${failingKeyword}"`,
  format: ({ format }, got) => `expected format ${format}, got ${got}`,
  pattern: ({ pattern }, got) =>
    `expected to match ${show(pattern instanceof RegExp ? JSON.parse(JSON.stringify(pattern)) : pattern)}, got ${got}`,
  minimum: ({ limit }, got) => `expected at least ${limit}, got ${got}`,
  maximum: ({ limit }, got) => `expected at most ${limit}, got ${got}`,
  exclusiveMinimum: ({ limit }, got) => `expected more than ${limit}, got ${got}`,
  exclusiveMaximum: ({ limit }, got) => `expected less than ${limit}, got ${got}`,
  multipleOf: ({ multipleOf }, got) => `expected a multiple of ${multipleOf}, got ${got}`,
  minLength: limit('expected a length of at least'),
  maxLength: limit('expected a length of at most'),
  minItems: limit('expected at least this many items:'),
  maxItems: limit('expected at most this many items:'),
  minProperties: limit('expected at least this many properties:'),
  maxProperties: limit('expected at most this many properties:'),
  uniqueItems: () => 'expected no item twice',
  contains: ({ minContains }) => `expected fitting items: at least ${minContains ?? 1}`,
  dependentRequired: ({ property, dependencies }) => `"${property}" needs ${list(dependencies, ', ', show)} beside it`,
  dependencies: ({ property, dependencies }) => `"${property}" needs ${list(dependencies, ', ', show)} beside it`,
}

/** Keywords that name properties: each name becomes an issue of its own, at that property. */
const NAMING: { readonly [keyword: string]: readonly [param: string, message: string] | undefined } = {
  required: ['requiredProperties', 'required'],
  additionalProperties: ['additionalProperties', 'not a known property'],
  unevaluatedProperties: ['unevaluatedProperties', 'not a known property'],
  unevaluatedItems: ['unevaluatedItems', 'one item too many'],
  propertyNames: ['propertyNames', 'not an allowed name'],
}

/** Keywords that only say that something inside of them failed. */
const SUMMARIES = new Set(['anyOf', 'oneOf', 'if', 'boolean'])

/** Turns a validator's faults into issues that a person or a model can act on: at most 20, each once, values cut short. */
export function toIssues(faults: readonly Fault[], value: unknown): Issue[] {
  const issues = new Map<string, Issue>()
  const add = (path: (string | number)[], message: string): void => {
    if (issues.size < MAX_ISSUES) issues.set(JSON.stringify([path, message]), { path, message })
  }
  for (const { keyword, instancePath, params } of mergeTypes(faults)) {
    const { path, found } = locate(instancePath, value)
    const [param, message] = NAMING[keyword] ?? []
    const names = param === undefined ? undefined : (params as JsonObject)[param]
    if (Array.isArray(names) && message !== undefined) for (const name of names) add([...path, name], message)
    else add(path, WORDINGS[keyword]?.(params as JsonObject, show(found)) ?? `does not fit "${keyword}"`)
  }
  return [...issues.values()]
}

/** Alternatives that differ in type are one sentence, not one each; summaries go when there is something better to say. */
function mergeTypes(faults: readonly Fault[]): Fault[] {
  const types = new Map<string, string[]>()
  for (const { keyword, instancePath, params } of faults)
    if (keyword === 'type' && 'type' in params)
      types.set(instancePath, [...(types.get(instancePath) ?? []), ...[params.type].flat().map(String)])
  const telling = faults.filter(
    ({ keyword, params }) => !SUMMARIES.has(keyword) || ('passingSchemas' in params && isAmbiguous(params.passingSchemas)),
  )
  return (telling.length > 0 ? telling : faults).map((fault) =>
    fault.keyword === 'type' ? { ...fault, params: { type: [...new Set(types.get(fault.instancePath))] } } : fault,
  )
}

function isAmbiguous(passing: unknown): boolean {
  return Array.isArray(passing) && passing.length > 1
}

/** Follows a JSON pointer through a value; steps into arrays become numbers. */
function locate(pointer: string, value: unknown): { path: (string | number)[]; found: unknown } {
  const path: (string | number)[] = []
  let found = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(found) ? Number(name) : name)
    found = Array.isArray(found) ? found[Number(name)] : isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return { path, found }
}

/** Shows a value in few characters: scalars as JSON, cut short; of objects and arrays only what they are. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value)
  return String(value)
}

function list(values: unknown, joiner: string, wording: (value: unknown) => string = String): string {
  const all = [values].flat()
  return all.length > 10 ? `${all.slice(0, 10).map(wording).join(joiner)} … (${all.length})` : all.map(wording).join(joiner)
}
