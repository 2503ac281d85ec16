/** The content security policy of a view. */
import { CSP_LISTS, type ViewCsp } from '../../protocol/apps.ts'
import { isCspSource } from '../../protocol/csp-source.ts'

/** The deviations of a host from what views declare. */
export interface HostCspRules {
  /** The lists that the host honors. Default: all. */
  readonly lists?: readonly (keyof ViewCsp)[]
  /** Origins that the host always allows besides, as `resourceDomains`. */
  readonly add?: readonly string[]
  /** True if the host allows `eval`. */
  readonly eval?: boolean
}

/** An entry that is not part of the policy. */
export interface DroppedCspEntry {
  /** The list. */
  readonly list: keyof ViewCsp
  /** The entry as the view declares it, at most 300 characters. */
  readonly entry: string
  /** The reason. */
  readonly reason: 'not an origin' | 'not honored by this host' | 'too many'
}

/** A policy, and what it leaves out. */
export interface ViewPolicy {
  /** The text of the policy, without `frame-ancestors`. */
  readonly policy: string
  /** The entries that are part of it. */
  readonly csp: ViewCsp
  /** The entries that are not. */
  readonly dropped: readonly DroppedCspEntry[]
}

/** The policy is part of a URL and of a header: servers refuse long ones. */
const MAX_POLICY_LENGTH = 6000
const MAX_ENTRY_SHOWN = 300

type Sources = { readonly [list in keyof ViewCsp]-?: readonly string[] }

/** Returns `'none'` or the sources. */
const orNone = (...sources: readonly string[]): string => (sources.length > 0 ? sources.join(' ') : "'none'")

/** The directives, in their order. `isDeclared` is false for a view without `csp`. */
function directives(
  { connectDomains, resourceDomains, frameDomains, baseUriDomains }: Sources,
  { isDeclared, allowsEval }: { readonly isDeclared: boolean; readonly allowsEval: boolean },
): readonly string[] {
  const inline = ["'unsafe-inline'", ...resourceDomains]
  const media = orNone('data:', ...(isDeclared ? ['blob:'] : []), ...resourceDomains)
  return [
    "default-src 'none'",
    `script-src ${orNone(...inline, ...(allowsEval ? ["'unsafe-eval'"] : []))}`,
    `style-src ${orNone(...inline)}`,
    `img-src ${media}`,
    `font-src ${isDeclared ? media : orNone(...resourceDomains)}`,
    `media-src ${media}`,
    `connect-src ${orNone(...connectDomains)}`,
    `frame-src ${orNone(...frameDomains)}`,
    `worker-src ${isDeclared ? 'blob:' : "'none'"}`,
    "object-src 'none'",
    `base-uri ${orNone(...baseUriDomains)}`,
    "form-action 'none'",
  ]
}

/**
 * Builds the policy of a view from the origins that it declares. Entries that are no origins are left out, never concatenated. A view that declares
 * nothing has no network, no fonts, no workers and no nested frames.
 */
export function buildViewPolicy(csp: ViewCsp | undefined, rules: HostCspRules = {}): ViewPolicy {
  const dropped: DroppedCspEntry[] = []
  const kept: { readonly [list in keyof ViewCsp]-?: string[] } = {
    connectDomains: [],
    resourceDomains: [...(rules.add ?? [])],
    frameDomains: [],
    baseUriDomains: [],
  }
  const flags = { isDeclared: csp !== undefined, allowsEval: rules.eval === true }
  const text = (): string => directives(kept, flags).join('; ')
  const declared = CSP_LISTS.flatMap((list) => (csp?.[list] ?? []).map((entry) => ({ list, entry })))
  let length = text().length
  for (const { list, entry } of declared) {
    if (kept[list].includes(entry)) continue
    const added = (entry.length + 1) * (list === 'resourceDomains' ? RESOURCE_DIRECTIVES : 1)
    const reason = reasonToDrop(list, entry, rules) ?? (length + added > MAX_POLICY_LENGTH ? 'too many' : undefined)
    if (reason) dropped.push({ list, entry: String(entry).slice(0, MAX_ENTRY_SHOWN), reason })
    else {
      kept[list].push(entry)
      length += added
    }
  }
  const lists = CSP_LISTS.filter((list) => csp?.[list] !== undefined)
  return { policy: text(), csp: Object.fromEntries(lists.map((list) => [list, kept[list]])), dropped }
}

function reasonToDrop(list: keyof ViewCsp, entry: unknown, { lists }: HostCspRules): DroppedCspEntry['reason'] | undefined {
  if (!isCspSource(entry)) return 'not an origin'
  return lists && !lists.includes(list) ? 'not honored by this host' : undefined
}

/** The number of directives that contain `resourceDomains`. */
const RESOURCE_DIRECTIVES = 5

const NAMES: ReadonlySet<string> = new Set(
  directives(
    { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
    { isDeclared: true, allowsEval: false },
  ).map((directive) => directive.split(' ', 1)[0] ?? ''),
)
const KEYWORDS: ReadonlySet<string> = new Set(["'none'", "'unsafe-inline'", "'unsafe-eval'", 'data:', 'blob:'])

/** Reports whether a text is a policy that `buildViewPolicy` may have built: each directive once, with known keywords and origins only. */
export function isViewPolicy(text: string): boolean {
  if (text.length > MAX_POLICY_LENGTH) return false
  const parsed = text.split('; ').map((directive) => directive.split(' '))
  const names = new Set(parsed.map(([name = '']) => name))
  return (
    names.size === NAMES.size &&
    parsed.length === NAMES.size &&
    [...names].every((name) => NAMES.has(name)) &&
    parsed.every(([, ...sources]) => sources.length > 0 && sources.every((source) => KEYWORDS.has(source) || isCspSource(source)))
  )
}
