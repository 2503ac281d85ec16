/**
 * Checks the properties that `patternProperties` of an untrusted schema name, in linear time. The validator would run the patterns as regular
 * expressions of JavaScript, therefore its keyword is replaced by a function of this module.
 */
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { linearTest } from './linear-pattern.ts'
import type { ValidatorError } from './select-errors.ts'

/** Validates values by a part of a schema. References in it are those of the whole schema. */
export interface PartValidator {
  /** Reports whether a value matches. */
  readonly matches: (value: unknown) => boolean
  /** Returns the errors of a value that does not match. */
  readonly errorsOf: (value: unknown) => readonly ValidatorError[]
}

/** Creates the validator of a part, which a member of `$defs` of the whole schema names. */
export type CreatePartValidator = (root: JsonObject, definition: string) => PartValidator

/** Properties whose names match a pattern, and the schema of their values. */
interface NameRule {
  readonly matchesName: (name: string) => boolean
  readonly part: () => PartValidator
}

/** An entry of `patternProperties` that is no schema: with it, the validator ignores the keyword, and references into it stay valid. */
const DISABLED = '\\'

/** Names the members of `$defs` that this module adds. */
const PREFIX = 'portcall:part:'

interface NameLimits {
  readonly root: JsonObject
  readonly createPart: CreatePartValidator
  /** Counts a step, and throws if there were too many. */
  readonly countStep: () => boolean
}

/**
 * Replaces the keyword `patternProperties` of some schemas, and `additionalProperties` next to it. Where a pattern has no linear form,
 * names that no other pattern matches have any value.
 */
export function limitNames(nodes: readonly JsonObject[], { root, createPart, countStep }: NameLimits): void {
  // A schema with an id of its own is another document: references in it would be looked up in the wrong one.
  const hasOtherIds = nodes.some((node) => node !== root && typeof node.$id === 'string')
  const parts = createParts(root, createPart)
  for (const node of nodes) {
    const { patternProperties, additionalProperties } = node
    if (!isObject(patternProperties)) continue
    const rules = hasOtherIds ? [] : rulesOf(patternProperties, parts)
    const isComplete = rules.length === Object.keys(patternProperties).length
    const others = isComplete && additionalProperties !== undefined ? parts(additionalProperties) : undefined
    node.patternProperties = { ...patternProperties, [DISABLED]: null }
    delete node.additionalProperties
    node['~refine'] = [createNameCheck({ properties: node.properties, rules, others, countStep })]
  }
}

function rulesOf(patternProperties: JsonObject, parts: (schema: unknown) => () => PartValidator): NameRule[] {
  return Object.entries(patternProperties).flatMap(([source, schema]) => {
    const matchesName = linearTest(source)
    return matchesName ? [{ matchesName, part: parts(schema) }] : []
  })
}

/** Returns the function that adds a schema to `$defs`. Its validator is created when a value needs it. */
function createParts(root: JsonObject, createPart: CreatePartValidator): (schema: unknown) => () => PartValidator {
  let count = 0
  let definitions: JsonObject | undefined
  return (schema) => {
    if (!isObject(schema)) {
      const constant = { matches: () => schema !== false, errorsOf: notAllowed }
      return () => constant
    }
    const definition = `${PREFIX}${count++}`
    definitions ??= root.$defs = isObject(root.$defs) ? { ...root.$defs } : {}
    definitions[definition] = schema
    let part: PartValidator | undefined
    return () => (part ??= createPart(root, definition))
  }
}

const AT_ROOT = { instancePath: '', schemaPath: '#' }

const notAllowed = (): ValidatorError[] => [{ ...AT_ROOT, keyword: 'boolean', params: {} }]

interface NameCheckOptions {
  readonly properties: unknown
  readonly rules: readonly NameRule[]
  /** The schema of the names that nothing else describes. */
  readonly others: (() => PartValidator) | undefined
  readonly countStep: () => boolean
}

/** A check of values that the validator calls. Its `error` returns errors instead of a text; `toIssues` understands them. */
interface NameCheck {
  readonly check: (value: unknown) => boolean
  readonly error: (value: unknown) => readonly ValidatorError[]
}

function createNameCheck({ properties, rules, others, countStep }: NameCheckOptions): NameCheck {
  const isDescribed = (name: string): boolean => isObject(properties) && Object.hasOwn(properties, name)
  const partsOf = (name: string): PartValidator[] => {
    const matching = rules.filter(({ matchesName }) => countStep() && matchesName(name)).map(({ part }) => part())
    return matching.length > 0 || isDescribed(name) || !others ? matching : [others()]
  }
  const errorsAt = (name: string, item: unknown): ValidatorError[] => {
    const failed = partsOf(name).filter(({ matches }) => !matches(item))
    const prefix = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const errors = failed.flatMap(({ errorsOf }) => errorsOf(item))
    const isUnknown = failed.some((part) => part === others?.())
    return [
      ...errors.map((error) => ({ ...error, instancePath: prefix + error.instancePath })),
      ...(isUnknown ? [{ ...AT_ROOT, keyword: 'additionalProperties', params: { additionalProperties: [name] } }] : []),
    ]
  }
  return {
    check: (value) =>
      !isObject(value) || Object.entries(value).every(([name, item]) => partsOf(name).every(({ matches }) => matches(item))),
    error: (value) => (isObject(value) ? Object.entries(value).flatMap(([name, item]) => errorsAt(name, item)) : []),
  }
}
