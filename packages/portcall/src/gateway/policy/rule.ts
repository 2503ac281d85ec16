import { closestName } from '../../../../util/src/closest-name.ts'
import { describe } from '../../../../util/src/describe.ts'
import { isString, isStrings } from '../../../../util/src/strings.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** The decision of a rule, from the most permissive to the strictest. */
export type RuleAction = 'allow' | 'approve' | 'deny'

/** A pattern, or a list of patterns of which one must match. `*` stands for any characters. */
export type Patterns = string | readonly string[]

/** Callers. All conditions have to hold; without any, all callers match. */
export interface CallerCondition {
  /** The principal of the caller. Callers that are not authenticated have none. */
  readonly principals?: Patterns
  /** Scopes of the caller. It needs all of them. */
  readonly scopes?: string | readonly string[]
  /**
   * Claims of the caller, such as `{ groups: ['admins', 'support'] }`: the claim has one of the values, or is a list that contains one. A name
   * that begins with `/` is a JSON Pointer, such as `/realm_access/roles`.
   */
  readonly claims?: { readonly [claim: string]: ConditionValue | readonly ConditionValue[] }
}

/** A value of a claim or an argument. */
export type ConditionValue = string | number | boolean | null

/**
 * A condition for an argument: a value, a list of values of which one must match, values that must not match, or a range of numbers. Strings may
 * contain `*`.
 */
export type ArgumentCondition =
  | ConditionValue
  | readonly ConditionValue[]
  | {
      /** The argument must not have any of these values. */
      readonly not: ConditionValue | readonly ConditionValue[]
    }
  | {
      /** The smallest number that matches. */
      readonly min?: number
      /** The largest number that matches. */
      readonly max?: number
    }

/** Hints of a tool. All of them have to be the same. */
export interface HintCondition {
  /** The tool does not change anything. */
  readonly readOnlyHint?: boolean
  /** The tool may delete or overwrite something. */
  readonly destructiveHint?: boolean
  /** Calling the tool again with the same arguments has no further effect. */
  readonly idempotentHint?: boolean
  /** The tool interacts with an open world, such as the web. */
  readonly openWorldHint?: boolean
}

/**
 * A rule of `accessRules`. It matches a request if all its conditions hold. Without `tools`, `prompts`, `resources` and `events`, it applies to all items.
 */
export interface AccessRule extends CallerCondition {
  /** The action for requests that match. */
  readonly do: RuleAction
  /** The name of the rule in the audit log. Default: its position, such as `rule 2`. */
  readonly name?: string
  /** The servers, by their names in the configuration. Default: all. */
  readonly servers?: Patterns
  /**
   * The tools, by their names on the server. Without `servers`, a pattern such as `crm__delete*` begins with that of the server.
   */
  readonly tools?: Patterns
  /** The prompts, as with `tools`. */
  readonly prompts?: Patterns
  /** The resources and resource templates, by their URI on the server. */
  readonly resources?: Patterns
  /** The event types, as with `tools`. */
  readonly events?: Patterns
  /**
   * The hints of a tool, such as `{ destructiveHint: true }`. A hint that the tool does not declare has the default of the specification. Since
   * servers may declare anything, hints only make the decision of the other rules stricter, and cannot be in a rule that allows.
   */
  readonly annotations?: HintCondition
  /**
   * Arguments of a tool, a prompt or events, such as `{ amount: { min: 1000 } }`. A name that begins with `/` is a JSON Pointer. A value of another type
   * than the condition expects matches if the rule denies or requires approval, and does not match if it allows.
   */
  readonly arguments?: { readonly [argument: string]: ArgumentCondition }
  /** Callers that the rule does not apply to. */
  readonly unless?: CallerCondition
}

type Check = (value: unknown) => boolean

const isPatterns: Check = (value) => isString(value) || isStrings(value)
const isValue: Check = (value) => value === null || ['string', 'number', 'boolean'].includes(typeof value)
const isValues: Check = (value) => isValue(value) || (Array.isArray(value) && value.every(isValue))
const isRecordOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check)
const isArgumentCondition: Check = (value) => {
  if (!isObject(value)) return isValues(value)
  const { not, min, max, ...others } = value
  if (Object.keys(others).length > 0) return false
  if (not !== undefined) return isValues(not) && min === undefined && max === undefined
  return [min, max].every((limit) => limit === undefined || typeof limit === 'number') && (min ?? max) !== undefined
}

const CALLER_MEMBERS: { readonly [member: string]: Check } = {
  principals: isPatterns,
  scopes: isPatterns,
  claims: isRecordOf(isValues),
}
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
const MEMBERS: { readonly [member: string]: Check } = {
  ...CALLER_MEMBERS,
  do: (value) => value === 'allow' || value === 'approve' || value === 'deny',
  name: isString,
  servers: isPatterns,
  tools: isPatterns,
  prompts: isPatterns,
  resources: isPatterns,
  events: isPatterns,
  annotations: (value) =>
    isRecordOf((hint) => typeof hint === 'boolean')(value) &&
    Object.keys(value as JsonObject).every((key) => HINTS.includes(key)),
  arguments: isRecordOf(isArgumentCondition),
  unless: (value) => isObject(value) && findInvalidMember(value, CALLER_MEMBERS) === undefined && Object.keys(value).length > 0,
}

/** Checks a rule that may come from a configuration file. @throws TypeError that names the member. */
export function checkRule(rule: unknown, at: string): asserts rule is AccessRule {
  if (!isObject(rule)) throw new TypeError(`${at} is not an object`)
  const invalid = findInvalidMember(rule, MEMBERS)
  if (invalid !== undefined) throw new TypeError(`${at}: ${invalid} ${problemOfMember(invalid, rule)}`)
  if (rule.do === undefined) throw new TypeError(`${at}: do is missing`)
  if (rule.do === 'allow' && rule.annotations)
    throw new TypeError(`${at}: annotations cannot allow anything, because servers can declare what they like`)
}

/** The kinds of the members of a rule. */
const EXPECTED: { readonly [member: string]: string } = {
  do: 'must be "allow", "approve" or "deny"',
  annotations: `must be an object with some of ${HINTS.join(', ')}, each true or false`,
  arguments: 'must be an object with values, or { not }, { min } and { max }, by the name of the argument',
  claims: 'must be an object with values by the name of the claim',
  unless: 'must be an object with principals, scopes or claims',
  name: 'must be a text',
}

function problemOfMember(member: string, rule: JsonObject): string {
  if (Object.hasOwn(MEMBERS, member)) {
    const expected = Object.hasOwn(EXPECTED, member) ? EXPECTED[member] : 'must be a text or an array of texts'
    return `has an invalid value: it ${expected}, not ${describe(rule[member])}`
  }
  const known = Object.keys(MEMBERS)
  const closest = closestName(member, known)
  return `is unknown. ${closest === undefined ? `The members of a rule are ${known.join(', ')}` : `Did you mean ${JSON.stringify(closest)}?`}`
}

function findInvalidMember(object: JsonObject, members: { readonly [member: string]: Check }): string | undefined {
  return Object.entries(object).find(
    ([key, value]) => value !== undefined && !(Object.hasOwn(members, key) && members[key]?.(value)),
  )?.[0]
}
