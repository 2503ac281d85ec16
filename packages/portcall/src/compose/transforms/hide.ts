import { checkOptions } from '../../../../util/src/check-options.ts'
import { createNameMatcher, type NameMatcher } from '../../../../util/src/name-matcher.ts'
import { toStrings } from '../../../../util/src/strings.ts'
import { KINDS, type ListedKind } from '../kinds.ts'
import { type UsedName, usedNames } from '../names-in-use.ts'
import { createUriMatcher } from '../uri-matcher.ts'
import type { Transform, TransformCaller, TransformItem } from './transform.ts'

/** Names of items, by kind. Names may contain `*`. A text or an array names tools. */
export type ItemPatterns =
  | string
  | readonly string[]
  | {
      /** The names of tools. */
      readonly tools?: string | readonly string[]
      /** The names of prompts. */
      readonly prompts?: string | readonly string[]
      /** The URIs of resources, and resource templates. */
      readonly resources?: string | readonly string[]
    }

/** Reports whether an item is selected. */
type ItemTest = (kind: ListedKind, name: string) => boolean

const RULES = { tools: 'text or texts', prompts: 'text or texts', resources: 'text or texts' }
const RULES_ADVICE = { tool: 'Use "tools"', names: 'Use "tools"', prompt: 'Use "prompts"', resource: 'Use "resources"' }

function rulesOf(patterns: ItemPatterns): Exclude<ItemPatterns, string | readonly string[]> {
  return typeof patterns === 'string' || isList(patterns) ? { tools: patterns } : patterns
}

/** Returns the tools and prompts that are named. A server may have resources that it does not list. */
function namesOf(patterns: ItemPatterns): UsedName[] {
  const { tools = [], prompts = [] } = rulesOf(patterns)
  return [...usedNames('hide()', toStrings(tools), ['tool']), ...usedNames('hide()', toStrings(prompts), ['prompt'])]
}

function createItemTest(patterns: ItemPatterns): ItemTest {
  const byRules = rulesOf(patterns)
  checkOptions('Patterns of items', byRules, { names: RULES, advice: RULES_ADVICE })
  const matchers: { readonly [rules: string]: NameMatcher } = Object.fromEntries(
    Object.entries(byRules).map(([rules, names = []]) => {
      const list = toStrings(names)
      return [rules, rules === KINDS.resource.rules ? createUriMatcher(list).matchesAny : createNameMatcher(list)]
    }),
  )
  return (kind, name) => matchers[KINDS[kind].rules]?.(name) === true
}

function isList(patterns: ItemPatterns): patterns is readonly string[] {
  return Array.isArray(patterns)
}

/** Hides items by name. They can neither be listed nor used. */
export function hide(patterns: ItemPatterns): Transform {
  const isHidden = createItemTest(patterns)
  return {
    names: namesOf(patterns),
    list: (items) => items.filter(({ kind, name }) => !isHidden(kind, name)),
    allows: (kind, name) => !isHidden(kind, name),
  }
}

/** Keeps the items for which `test` returns true. It may depend on the caller: on its scopes, or its HTTP headers. */
export function filterItems(test: (item: TransformItem, caller: TransformCaller) => boolean): Transform {
  return { variesByCaller: true, list: (items, caller) => items.filter((item) => test(item, caller)) }
}

/** A transform that hides items and can be changed while the server runs. Subscribers are notified that the lists have changed. */
export interface VisibilityTransform extends Transform {
  /** Hides items: from everyone, or from one principal. */
  hide(patterns: ItemPatterns, principal?: string): void
  /** Shows hidden items again: to everyone, or to one principal, who then sees them although they are hidden from everyone. */
  show(patterns: ItemPatterns, principal?: string): void
  /** Forgets all changes: those for everyone, or those for one principal. */
  reset(principal?: string): void
}

interface VisibilityRule {
  readonly isSelected: ItemTest
  readonly isVisible: boolean
}

/**
 * Creates a transform that hides and shows items while the server runs, for all callers or for one principal. The last rule that matches an
 * item decides, and the rules of a principal come after those for everyone.
 *
 * @example
 * const tools = visibility()
 * server.use(transform(tools))
 * tools.hide('admin_*')
 * tools.show('admin_*', 'ada')
 */
export function visibility(): VisibilityTransform {
  /** The key `undefined` has the rules for everyone. */
  const rules = new Map<string | undefined, VisibilityRule[]>()
  const listeners = new Set<() => void>()
  const change = (principal: string | undefined, next: VisibilityRule[]): void => {
    if (next.length === 0) rules.delete(principal)
    else rules.set(principal, next)
    for (const listener of listeners) listener()
  }
  const add = (patterns: ItemPatterns, isVisible: boolean, principal: string | undefined): void =>
    change(principal, [...(rules.get(principal) ?? []), { isSelected: createItemTest(patterns), isVisible }])
  const isVisible = (kind: ListedKind, name: string, principal: string | undefined): boolean => {
    const own = principal === undefined ? [] : (rules.get(principal) ?? [])
    const all = [...(rules.get(undefined) ?? []), ...own]
    return all.findLast(({ isSelected }) => isSelected(kind, name))?.isVisible ?? true
  }
  return {
    variesByCaller: true,
    hide: (patterns, principal) => add(patterns, false, principal),
    show: (patterns, principal) => add(patterns, true, principal),
    reset: (principal) => change(principal, []),
    list: (items, { auth }) => items.filter(({ kind, name }) => isVisible(kind, name, auth?.principal)),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
