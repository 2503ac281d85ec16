import { isObject } from '../../../jsonrpc/message.ts'
import { CSP_LISTS, ViewKey } from '../../../protocol/apps.ts'
import { declaredMeta, faultsOfCsp, itemMetaOf, misplacedKeys, openaiCsp } from './declared.ts'
import type { LintedPage } from './linted-view.ts'
import { coversOrigin, isLoopback, urlIn } from './origins.ts'

/** Returns the origins that a page uses and no policy names. Hosts block them. */
export function undeclaredOrigins(view: LintedPage): string[] {
  const { csp = {} } = declaredMeta(view.contents, view.listed)
  const misspelled = misspelledHosts(view)
  const messages = new Set<string>()
  for (const { address, list, by } of view.page.uses) {
    const url = urlIn(address)
    if (!url || isLoopback(url) || csp[list]?.some((source) => coversOrigin(source, url))) continue
    if (misspelled.some((host) => url.hostname === host || url.hostname.endsWith(`.${host}`))) continue
    const others = CSP_LISTS.filter((other) => csp[other]?.some((source) => coversOrigin(source, url)))
    const elsewhere = others.length > 0 ? `ui.csp has it only in ${others.join(', ')}` : undefined
    const hint = elsewhere ?? (isInOpenai(view, url) ? 'only openai/widgetCSP has it, which other hosts do not read' : undefined)
    messages.add(
      `${by} uses ${url.protocol}//${url.host}, which ui.csp.${list} does not have: hosts block it${hint ? ` (${hint})` : ''}`,
    )
  }
  return [...messages]
}

function isInOpenai({ contents, listed }: LintedPage, url: URL): boolean {
  const sources = [openaiCsp(contents), openaiCsp(listed)].flatMap((csp) => Object.values(csp ?? {}).flat())
  return sources.some((source) => typeof source === 'string' && coversOrigin(source, url))
}

/** Returns the hosts that a server meant to declare, but did not: other rules report why. */
function misspelledHosts({ contents, listed, tools }: LintedPage): string[] {
  const faulty = [contents, listed].flatMap(faultsOfCsp).flatMap(({ sources }) => sources)
  const onTools = tools
    .filter((tool) => misplacedKeys(tool).length > 0)
    .flatMap((tool) => {
      const { [ViewKey.nested]: ui } = itemMetaOf(tool)
      return [isObject(ui) ? ui.csp : undefined, openaiCsp(tool)]
    })
  const misplacedSources = onTools.flatMap((csp) => (isObject(csp) ? Object.values(csp).flat() : []))
  return [...faulty, ...misplacedSources].filter((source) => typeof source === 'string').map(hostIn)
}

/** Returns the host in a text that may have a scheme, a wildcard, a port and a path. */
function hostIn(source: string): string {
  return source
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^\*\./, '')
    .replace(/[:/?#][\s\S]*$/, '')
}
