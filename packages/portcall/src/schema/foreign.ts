/**
 * Schemas that come from a peer, together with values that come from a peer, must not be able to stop this process. Two things can make a
 * check take forever, and both are changed here before such a schema is compiled:
 *
 * - patterns: they run in linear time (RE2), or not at all where RE2 cannot express them (look-around, back-references). The names
 *   in `patternProperties` stay unchecked, and with them `additionalProperties` beside and `unevaluatedProperties` anywhere.
 * - references that fan out: each step through one is counted, and a check that takes too many ends.
 *
 * RE2 is a large library: this module is loaded when the first such schema is met.
 */
import { RE2JS } from 're2js'
import { SchemaError } from './errors.ts'
import type { JsonObject } from './standard.ts'
import { isRecord, walkSchemas } from './walk.ts'

/** Counts the steps of a check. */
export interface Meter {
  /** Begins a check that may take so many steps; the next one throws `OutOfSteps`. */
  start(steps: number): void
}

/** A check took more steps than it may. */
export class OutOfSteps extends Error {
  override readonly name = 'OutOfSteps'
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const

/** More references than this make the compilation itself slow: its time grows with their square. */
const MOST_REFERENCES = 1000

/**
 * Makes a foreign schema harmless, by changing it; its checks are counted by the meter that comes back.
 *
 * @throws SchemaError when it has more than 1000 references.
 */
export function tame(schema: JsonObject): Meter {
  let left = 0
  const step = (): boolean => {
    if (--left < 0) throw new OutOfSteps()
    return true
  }
  const nodes: JsonObject[] = []
  walkSchemas(schema, undefined, (node) => void nodes.push(node))
  const references = nodes.filter((node) => REFERENCES.some((keyword) => typeof node[keyword] === 'string')).length
  if (references > MOST_REFERENCES)
    throw new SchemaError(`The schema has ${references} references, ${MOST_REFERENCES} are allowed`)
  const named = nodes.some(({ patternProperties }) => patternProperties !== undefined)
  for (const node of nodes) {
    tamePatterns(node, named)
    countReferences(node, { '~refine': [{ check: step, error: () => '' }] })
  }
  return { start: (steps) => void (left = steps) }
}

function tamePatterns(node: JsonObject, named: boolean): void {
  if (typeof node.pattern === 'string') node.pattern = linearPattern(node.pattern)
  if (isRecord(node.patternProperties)) {
    delete node.patternProperties
    delete node.additionalProperties
  }
  if (named) delete node.unevaluatedProperties
}

/** `{ $ref }` becomes `{ allOf: [{ allOf: [counter, { $ref }] }] }`: the counter runs first, and no pointer into the document moves. */
function countReferences(node: JsonObject, counter: JsonObject): void {
  for (const keyword of REFERENCES) {
    if (typeof node[keyword] !== 'string') continue
    const counted = { allOf: [counter, { [keyword]: node[keyword] }] }
    delete node[keyword]
    node.allOf = Array.isArray(node.allOf) ? [...node.allOf, counted] : [counted]
  }
}

function linearPattern(source: string): RegExp {
  const test = linearTest(source)
  return Object.assign(/(?:)/, { test, toJSON: () => source })
}

function linearTest(source: string): (text: string) => boolean {
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source))
    return (text) => pattern.test(text)
  } catch {
    return () => true
  }
}
