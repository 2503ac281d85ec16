/** The rules about the pages of views: the faults that leave a frame empty. */
import { isViewMimeType, VIEW_MIME_TYPE } from '../../../protocol/apps.ts'
import { MAX_PAGE_BYTES } from '../../../views/limits.ts'
import type { Finding } from '../finding.ts'
import { devClientsOf, generatedCodeOf, handshakeFaultOf, isDevClient, reportsSize } from './code-rules.ts'
import { faultsOfCsp, misplacedKeys, standardCsp } from './declared.ts'
import type { LintedPage } from './linted-view.ts'
import { undeclaredOrigins } from './undeclared-origins.ts'

/** A rule about pages. It returns a message for each fault. */
export interface PageRule {
  readonly rule: string
  readonly level: Finding['level']
  readonly find: (view: LintedPage) => readonly string[]
}

/** The rules, in the order of their findings. */
export const PAGE_RULES: readonly PageRule[] = [
  { rule: 'view-type', level: 'error', find: wrongTypes },
  { rule: 'view-handshake', level: 'error', find: ({ page }) => some(handshakeFaultOf(page)) },
  { rule: 'view-csp-key', level: 'error', find: (view) => cspFaults(view, 'view-csp-key') },
  { rule: 'view-csp-source', level: 'error', find: (view) => cspFaults(view, 'view-csp-source') },
  { rule: 'view-csp-place', level: 'error', find: misplaced },
  { rule: 'view-origin', level: 'error', find: undeclaredOrigins },
  { rule: 'view-file', level: 'error', find: missingFiles },
  { rule: 'view-dev-client', level: 'error', find: ({ page }) => devClientsOf(page) },
  { rule: 'view-eval', level: 'error', find: ({ page }) => generatedCodeOf(page) },
  { rule: 'view-height', level: 'warning', find: heights },
  { rule: 'view-size', level: 'warning', find: largePages },
]

/** How many examples a message has. */
const MAX_EXAMPLES = 3

const some = (message: string | undefined): string[] => (message === undefined ? [] : [message])

/** Lists a few examples, and says how many more there are. */
function listOf(examples: readonly string[]): string {
  const more = examples.length - MAX_EXAMPLES
  return `${examples.slice(0, MAX_EXAMPLES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function wrongTypes({ contents, listed }: LintedPage): string[] {
  const message = (place: string, type: unknown): string =>
    `${place} has the type ${JSON.stringify(type ?? '')} instead of ${VIEW_MIME_TYPE}: hosts do not show it as a view`
  return [
    ...(isViewMimeType(contents.mimeType) ? [] : [message('the page', contents.mimeType)]),
    ...(listed?.mimeType !== undefined && !isViewMimeType(listed.mimeType)
      ? [message('the entry in resources/list', listed.mimeType)]
      : []),
  ]
}

function cspFaults({ contents, listed }: LintedPage, rule: string): string[] {
  const faults = [...faultsOfCsp(contents), ...faultsOfCsp(listed)]
  return [...new Set(faults.filter((fault) => fault.rule === rule).map(({ message }) => message))]
}

function misplaced({ tools, contents, listed }: LintedPage): string[] {
  const onTools = tools.flatMap((tool) => {
    const keys = misplacedKeys(tool)
    return keys.length > 0 ? [`the tool ${tool.name} has ${keys.join(', ')}, which hosts read only from the resource`] : []
  })
  const isOnlyListed = standardCsp(listed) !== undefined && standardCsp(contents) === undefined
  return isOnlyListed ? [...onTools, 'only the entry in resources/list has ui.csp, not the contents of resources/read'] : onTools
}

function missingFiles({ page }: LintedPage): string[] {
  const files = page.uses
    .filter(({ isRelative, address }) => isRelative && !isDevClient(address))
    .map(({ by, address }) => `${address.slice(0, 80)} (${by})`)
  const packages = page.uses.filter(({ isPackage }) => isPackage).map(({ address }) => address)
  return [
    ...(files.length > 0 ? [`relative addresses have no meaning in a view: ${listOf(files)}`] : []),
    ...(packages.length > 0 ? [`browsers do not know packages by name: import ${listOf(packages)}`] : []),
  ]
}

function heights({ page }: LintedPage): string[] {
  const { followsFrame, noHeight } = page
  return [
    ...some(noHeight && `the page has no height: ${noHeight}`),
    ...some(
      followsFrame && `${followsFrame} follows the height of the frame, which follows that of the page: it grows or stays empty`,
    ),
    ...(reportsSize(page) ? [] : ['the page never sends ui/notifications/size-changed: hosts cut it off, or give it no height']),
  ]
}

function largePages({ html }: LintedPage): string[] {
  const { length } = new TextEncoder().encode(html)
  return length > MAX_PAGE_BYTES ? [`the page has ${length} bytes; hosts show up to ${MAX_PAGE_BYTES} at once`] : []
}
