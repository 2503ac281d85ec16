/** Findings about what the policy of a view blocked. */
import { isLoopbackHost } from '../../../../util/src/loopback-host.ts'
import { parseUrl } from '../../../../util/src/parse-url.ts'
import type { DroppedCspEntry } from '../../apps/host/csp.ts'
import { isViewHost } from '../../apps/host/sandbox-url.ts'
import type { ViewCsp } from '../../protocol/apps.ts'
import type { CspViolation } from '../server/violations.ts'
import { type ViewFinding, viewFinding } from './finding.ts'

/** The list of `ui.csp` that each directive comes from. `-elem` and `-attr` are removed before. */
const LISTS: { readonly [directive: string]: keyof ViewCsp } = {
  'connect-src': 'connectDomains',
  'script-src': 'resourceDomains',
  'style-src': 'resourceDomains',
  'img-src': 'resourceDomains',
  'font-src': 'resourceDomains',
  'media-src': 'resourceDomains',
  'frame-src': 'frameDomains',
  'base-uri': 'baseUriDomains',
}
const GENERATED = new Set(['eval', 'wasm-eval'])

/** The facts about the policy of a view that was shown. */
export interface PolicyEvidence {
  readonly violations: readonly CspViolation[]
  /** The declarations that count for nothing. */
  readonly dropped: readonly DroppedCspEntry[]
  /** True if the view does not work without generated code. */
  readonly needsCode: boolean
}

/** Returns a finding for each origin and directive that was blocked, and for each declaration that is no origin. */
export function policyFindings({ violations, dropped, needsCode }: PolicyEvidence): ViewFinding[] {
  const wrong = dropped.filter(({ reason }) => reason !== 'not honored by this host')
  const found = [
    ...wrong.map(({ list, entry, reason }) =>
      viewFinding('error', 'view-csp-source', `ui.csp.${list}: ${JSON.stringify(entry)} is left out: ${reason}`),
    ),
    ...violations.map((violation) =>
      GENERATED.has(violation.blocked) ? codeFinding(violation, needsCode) : findingOf(violation, dropped),
    ),
  ]
  const seen = new Set<string>()
  return found.filter(({ message }) => !seen.has(message) && seen.add(message))
}

/** Libraries try whether they may generate code, and work without it: then only the attempt is seen. */
function codeFinding({ blocked }: CspViolation, isNeeded: boolean): ViewFinding {
  const name = blocked === 'eval' ? 'eval() or new Function()' : 'WebAssembly'
  return isNeeded
    ? viewFinding('error', 'view-eval', `the policy of hosts blocked ${name}`)
    : viewFinding('warning', 'view-eval', `the policy of hosts blocked ${name}; the view seems to work without it`)
}

function findingOf({ directive, blocked, isNavigation }: CspViolation, dropped: readonly DroppedCspEntry[]): ViewFinding {
  if (isNavigation) return viewFinding('error', 'view-navigation', `the view tried to become the page ${blocked}`)
  const name = directive.replace(/-(?:elem|attr)$/, '')
  const url = parseUrl(blocked)
  const list = Object.hasOwn(LISTS, name) ? LISTS[name] : undefined
  if (!url || url.host === '' || !list) return viewFinding('error', 'view-policy', `${name} blocked ${blocked}`)
  if (isViewHost(url.hostname))
    return viewFinding('error', 'view-file', `${name} blocked ${url.pathname}: relative addresses have no meaning in a view`)
  if (isLoopbackHost(url.hostname) || url.hostname === '0.0.0.0')
    return viewFinding(
      'error',
      'view-dev-client',
      `${name} blocked ${url.origin === 'null' ? blocked : url.origin}, which is the machine of the user`,
    )
  const origin = `${url.protocol}//${url.host}`
  if (dropped.some((entry) => entry.list === list && entry.entry === origin))
    return viewFinding(
      'warning',
      'view-not-honored',
      `${name} blocked ${origin}: it is in ui.csp.${list}, which this host does not honor`,
    )
  const line = `${list}: ['${origin}']`
  return {
    ...viewFinding('error', 'view-origin', `${name} blocked ${origin}, which ui.csp.${list} does not have`),
    advice: `Add ${line} to the csp of the view, or make the file a part of the page.`,
  }
}
