/**
 * Prepares schemas from a peer, so that neither the schema nor a value can block this process. Validation could take exponential time in two
 * ways, and both are changed before such a schema is compiled:
 *
 * - Patterns run in linear time (RE2), also those of `patternProperties`. `unchecked-keywords.ts` lists what is not checked because of it.
 * - References may multiply the work. Each step through one is counted, and a validation with too many steps is aborted.
 *
 * RE2 is a large library: this module is loaded with the first such schema.
 */
import type { JsonObject } from '../jsonrpc/message.ts'
import { SchemaError } from './errors.ts'
import { MAX_REFERENCES } from './limits.ts'
import { linearTest } from './linear-pattern.ts'
import { type CreatePartValidator, limitNames } from './untrusted-names.ts'
import { walkSchemas } from './walk.ts'

/** Limits the steps of a validation. */
export interface StepBudget {
  /** Starts a validation that may take this number of steps. The next step throws `StepLimitError`. */
  start(steps: number): void
}

/** Thrown when a validation takes more steps than its budget. Internal: the validator catches it. */
class StepLimitError extends Error {
  override readonly name = 'StepLimitError'
}

const REFERENCE_KEYWORDS = ['$ref', '$dynamicRef', '$recursiveRef'] as const

/**
 * Makes an untrusted schema safe, in place, and returns the budget of its validations.
 *
 * @throws SchemaError if it has more than 1000 references and patterns of property names.
 */
export function limitSchema(schema: JsonObject, createPart: CreatePartValidator): StepBudget {
  let stepsLeft = 0
  const countStep = (): boolean => {
    if (--stepsLeft < 0) throw new StepLimitError()
    return true
  }
  const nodes: JsonObject[] = []
  walkSchemas(schema, undefined, (node) => void nodes.push(node))
  const references = nodes.filter((node) => REFERENCE_KEYWORDS.some((keyword) => typeof node[keyword] === 'string')).length
  const patterns = nodes.reduce((count, { patternProperties }) => count + Object.keys(patternProperties ?? {}).length, 0)
  if (references + patterns > MAX_REFERENCES)
    throw new SchemaError(
      `The schema has ${references} references and ${patterns} patterns of property names, at most ${MAX_REFERENCES} are allowed`,
    )
  for (const node of nodes) {
    if (typeof node.pattern === 'string') node.pattern = linearPattern(node.pattern)
    // The validator does not know which names the replaced patterns match.
    if (patterns > 0) delete node.unevaluatedProperties
    countReferences(node, { '~refine': [{ check: countStep, error: () => '' }] })
  }
  limitNames(nodes, { root: schema, createPart, countStep })
  return { start: (steps) => void (stepsLeft = steps) }
}

/** Replaces `{ $ref }` by `{ allOf: [{ allOf: [counter, { $ref }] }] }`. The counter runs first, and JSON pointers into the document stay valid. */
function countReferences(node: JsonObject, counter: JsonObject): void {
  for (const keyword of REFERENCE_KEYWORDS) {
    if (typeof node[keyword] !== 'string') continue
    const counted = { allOf: [counter, { [keyword]: node[keyword] }] }
    delete node[keyword]
    node.allOf = Array.isArray(node.allOf) ? [...node.allOf, counted] : [counted]
  }
}

function linearPattern(source: string): RegExp {
  return Object.assign(/(?:)/, { test: linearTest(source) ?? (() => true), toJSON: () => source })
}
