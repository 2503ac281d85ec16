import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { toStrings } from '../../../../util/src/strings.ts'
import { createUriMatcher } from '../../compose/uri-matcher.ts'
import type { Auth } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { isNamedKind } from './item-kinds.ts'
import { createArgumentReader, createClaimMatcher, createReader, createValueMatcher } from './match-values.ts'
import type { AccessRule, CallerCondition, HintCondition, Patterns, RuleAction } from './rule.ts'
import type { GatewayCaller, GatewayItem, GatewayItemKind } from './types.ts'

/** A rule that is ready to be applied. */
export interface RuleMatcher {
  readonly action: RuleAction
  readonly name: string
  /** The rule depends on the arguments of a request. */
  readonly isConditional: boolean
  /** The rule depends on declarations of the server. It can only make a decision stricter. */
  readonly usesHints: boolean
  /** Reports whether the rule concerns an item and its caller, with some arguments. */
  matchesItem(item: GatewayItem, caller: GatewayCaller): boolean
  matchesArguments(args: JsonObject | undefined): boolean
}

/** Separates the server from the item in a pattern, as in the names that clients see. */
const SEPARATOR = '__'

export function createRuleMatcher(rule: AccessRule, defaultName: string): RuleMatcher {
  const isStrict = rule.do !== 'allow'
  const matchesServer = createNameMatcher(toStrings(rule.servers ?? '*'))
  const matchesName = createItemMatcher(rule, isStrict)
  const matchesCaller = createCallerMatcher(rule)
  const isExcepted = rule.unless ? createCallerMatcher(rule.unless) : () => false
  const args = Object.entries(rule.arguments ?? {}).map(
    ([path, condition]) => [createArgumentReader(path), createValueMatcher(condition, isStrict)] as const,
  )
  const isForCalls = rule.arguments !== undefined
  return {
    action: rule.do,
    name: rule.name ?? defaultName,
    isConditional: isForCalls,
    usesHints: rule.annotations !== undefined,
    matchesItem: (item, { auth }) =>
      matchesServer(item.server) &&
      matchesName(item) &&
      (!isForCalls || isNamedKind(item.kind)) &&
      (!rule.annotations || matchesHints(item, rule.annotations)) &&
      matchesCaller(auth) &&
      !isExcepted(auth),
    matchesArguments: (values) => args.every(([read, matches]) => matches(read(values))),
  }
}

function createItemMatcher(
  { servers, tools, prompts, resources, events }: AccessRule,
  isStrict: boolean,
): (item: GatewayItem) => boolean {
  if ([tools, prompts, resources, events].every((patterns) => patterns === undefined)) return () => true
  const named = (patterns: Patterns | undefined): ((item: GatewayItem) => boolean) => {
    if (patterns === undefined) return () => false
    if (servers === undefined) return createQualifiedMatcher(toStrings(patterns), isStrict)
    const matches = createNameMatcher(toStrings(patterns))
    return ({ name }) => matches(name)
  }
  const { matchesAny, matchesAll } = createUriMatcher(toStrings(resources ?? []))
  const matchesUri = isStrict ? matchesAny : matchesAll
  const matchers: { readonly [kind in GatewayItemKind]: (item: GatewayItem) => boolean } = {
    tool: named(tools),
    prompt: named(prompts),
    resource: ({ name }) => matchesUri(name),
    template: ({ name }) => matchesUri(name),
    event: named(events),
  }
  return (item) => matchers[item.kind](item)
}

/** Matches `server__name`. A strict rule also matches items whose own name looks like that. */
function createQualifiedMatcher(patterns: readonly string[], isStrict: boolean): (item: GatewayItem) => boolean {
  const matchers = patterns.map((pattern): ((item: GatewayItem) => boolean) => {
    const at = pattern.indexOf(SEPARATOR)
    const matchesWhole = createNameMatcher([pattern])
    if (at <= 0) return ({ name }) => matchesWhole(name)
    const matchesServer = createNameMatcher([pattern.slice(0, at)])
    const matchesName = createNameMatcher([pattern.slice(at + SEPARATOR.length)])
    return ({ server, name }) => (matchesServer(server) && matchesName(name)) || (isStrict && matchesWhole(name))
  })
  return (item) => matchers.some((matches) => matches(item))
}

function createCallerMatcher({ principals, scopes, claims }: CallerCondition): (auth: Auth | undefined) => boolean {
  const matchesPrincipal = principals === undefined ? undefined : createNameMatcher(toStrings(principals))
  const needed = scopes === undefined ? [] : toStrings(scopes)
  const matchers = Object.entries(claims ?? {}).map(([path, values]) => [createReader(path), createClaimMatcher(values)] as const)
  return (auth) =>
    (!matchesPrincipal || (auth !== undefined && matchesPrincipal(auth.principal))) &&
    needed.every((scope) => auth?.scopes?.includes(scope)) &&
    matchers.every(([read, matches]) => matches(read(auth)))
}

/** The hints of a tool that declares none: https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations */
const DEFAULT_HINTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

/** Reports whether a tool has these hints. A tool that its server does not list may have any. */
function matchesHints({ kind, definition }: GatewayItem, hints: HintCondition): boolean {
  if (kind !== 'tool') return false
  if (!definition) return true
  const declared: JsonObject = isObject(definition.annotations) ? definition.annotations : {}
  return (Object.keys(DEFAULT_HINTS) as (keyof typeof DEFAULT_HINTS)[]).every(
    (hint) => hints[hint] === undefined || hints[hint] === hintOf(declared, hint),
  )
}

/** A tool that only reads destroys nothing. */
function hintOf(declared: JsonObject, hint: keyof typeof DEFAULT_HINTS): boolean {
  const value = declared[hint]
  if (typeof value === 'boolean') return value
  return hint === 'destructiveHint' && declared.readOnlyHint === true ? false : DEFAULT_HINTS[hint]
}
