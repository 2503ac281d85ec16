import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { MAX_ISSUES } from './limits.ts'
import { type SelectedError, selectErrors, type ValidatorError } from './select-errors.ts'
import type { Issue } from './standard.ts'

/** Returns the message for a failed keyword. `got` describes the value. */
type MessageFormat = (params: JsonObject, got: string) => string

const limit: (text: string) => MessageFormat =
  (text) =>
  ({ limit }) =>
    `${text} ${limit}`

const MESSAGES: { readonly [keyword: string]: MessageFormat | undefined } = {
  type: ({ type }, got) => `expected ${list(type, ' or ')}, got ${got}`,
  const: ({ allowedValue }, got) => `expected ${show(allowedValue)}, got ${got}`,
  enum: ({ allowedValues }, got) => `expected one of ${list(allowedValues, ', ', show)}, got ${got}`,
  boolean: () => 'not allowed',
  anyOf: (_, got) => `matches none of the alternatives, got ${got}`,
  oneOf: ({ passingSchemas }, got) =>
    Array.isArray(passingSchemas) && passingSchemas.length > 1
      ? `matches more than one of the alternatives, got ${got}`
      : `matches none of the alternatives, got ${got}`,
  not: (_, got) => `not allowed, got ${got}`,
  if: ({ failingKeyword }) =>
    `does not match "${failingKeyword}" of the schema, which applies because it ${failingKeyword === 'then' ? 'matches' : 'does not match'} "if"`,
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
  uniqueItems: () => 'expected unique items',
  contains: ({ minContains }) => `expected at least ${minContains ?? 1} matching items`,
  dependentRequired: ({ property, dependencies }) => `"${property}" requires ${list(dependencies, ', ', show)}`,
  dependencies: ({ property, dependencies }) => `"${property}" requires ${list(dependencies, ', ', show)}`,
}

/** Keywords that report property names. Each name becomes an issue with the path of that property. */
const NAME_KEYWORDS: { readonly [keyword: string]: readonly [param: string, message: string] | undefined } = {
  required: ['requiredProperties', 'required'],
  additionalProperties: ['additionalProperties', 'not a known property'],
  unevaluatedProperties: ['unevaluatedProperties', 'not a known property'],
  unevaluatedItems: ['unevaluatedItems', 'too many items'],
  propertyNames: ['propertyNames', 'not an allowed name'],
}

/** Keywords that fail because a subschema fails. */
const SUMMARY_KEYWORDS = new Set(['anyOf', 'oneOf', 'if', 'boolean'])

/**
 * Converts validator errors to issues that a person or a model can act on: at most `MAX_ISSUES`, without duplicates, values truncated. If
 * there are more, the last one says how many.
 */
export function toIssues(errors: readonly ValidatorError[], value: unknown): Issue[] {
  const issues = new Map<string, Issue>()
  const add = (path: (string | number)[], message: string): void =>
    void issues.set(JSON.stringify([path, message]), { path, message })
  for (const error of mergeTypes(selectErrors(errors.flatMap(withErrorsOfNames)))) {
    const { keyword, instancePath, params } = error
    const { path, target } = locate(instancePath, value)
    const [param, message] = NAME_KEYWORDS[keyword] ?? []
    const names = param === undefined ? undefined : (params as JsonObject)[param]
    if (Array.isArray(names) && message !== undefined) for (const name of names) add([...path, name], message)
    else add(path, describe(error, target))
  }
  const all = [...issues.values()]
  const shown = all.slice(0, MAX_ISSUES - 1)
  return all.length <= MAX_ISSUES ? all : [...shown, { path: [], message: `and ${all.length - shown.length} more` }]
}

function describe({ keyword, params, name }: SelectedError, target: unknown): string {
  const text = MESSAGES[keyword]?.(params as JsonObject, show(name ?? target)) ?? `does not match "${keyword}"`
  return name === undefined ? text : `not an allowed name: ${text}`
}

/** Returns the errors that a check of `untrusted-names.ts` collected, with the path of its value. */
function withErrorsOfNames(error: ValidatorError): ValidatorError[] {
  const { message } = error.params as { readonly message?: unknown }
  if (error.keyword !== '~refine' || !Array.isArray(message)) return [error]
  const inner: readonly ValidatorError[] = message
  return inner.flatMap(withErrorsOfNames).map((part) => ({ ...part, instancePath: error.instancePath + part.instancePath }))
}

/** Merges the type errors of alternatives into one, and drops the errors of summary keywords if there are more specific ones. */
function mergeTypes(errors: readonly SelectedError[]): SelectedError[] {
  const types = new Map<string, string[]>()
  for (const { keyword, instancePath, params } of errors)
    if (keyword === 'type' && 'type' in params)
      types.set(instancePath, [...(types.get(instancePath) ?? []), ...[params.type].flat().map(String)])
  const specific = errors.filter(
    ({ keyword, params }) => !SUMMARY_KEYWORDS.has(keyword) || ('passingSchemas' in params && isAmbiguous(params.passingSchemas)),
  )
  return (specific.length > 0 ? specific : errors).map((error) =>
    error.keyword === 'type' ? { ...error, params: { type: [...new Set(types.get(error.instancePath))] } } : error,
  )
}

function isAmbiguous(passing: unknown): boolean {
  return Array.isArray(passing) && passing.length > 1
}

/** Resolves a JSON pointer. Array indexes in the path are numbers. */
function locate(pointer: string, value: unknown): { path: (string | number)[]; target: unknown } {
  const path: (string | number)[] = []
  let target = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(target) ? Number(name) : name)
    target = Array.isArray(target)
      ? target[Number(name)]
      : isObject(target) && Object.hasOwn(target, name)
        ? target[name]
        : undefined
  }
  return { path, target }
}

/** Describes a value briefly: scalars as truncated JSON, objects and arrays by their kind. */
function show(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 39)}…` : value)
  return String(value)
}

function list(values: unknown, joiner: string, format: (value: unknown) => string = String): string {
  const all = [values].flat()
  return all.length > 10 ? `${all.slice(0, 10).map(format).join(joiner)} … (${all.length})` : all.map(format).join(joiner)
}
