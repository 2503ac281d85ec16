import { isObject } from '../../../jsonrpc/message.ts'
import { isViewUri, isVisibleTo, readToolView, TOOL_AUDIENCES, ViewKey } from '../../../protocol/apps.ts'
import type { CallToolResult, Tool } from '../../../protocol/types.ts'
import { MAX_RESULT_CHARACTERS } from '../../../views/limits.ts'
import type { ServerSnapshot } from '../../compare/snapshot.ts'
import { adviceOf } from '../advice.ts'
import type { Finding, ReportFinding } from '../finding.ts'
import type { HostNote } from '../host-notes.ts'
import type { ServerInventory } from '../inventory.ts'
import { itemMetaOf, openaiCsp, standardCsp } from './declared.ts'
import { type LintedView, pageOf, viewsOf } from './linted-view.ts'
import { PAGE_RULES } from './page-rules.ts'
import { CLAUDE_HOSTS, faultsOfDomain } from './view-domain-rule.ts'

/** Facts about a server that are not in its lists. */
export interface LintOptions {
  /** The offer of the server when it was published: a view that has changed since needs a new URI. */
  readonly since?: ServerSnapshot
  /** The URL of the server as its users enter it. */
  readonly url?: string
  /** Results of tools with views, by the names of the tools. */
  readonly results?: { readonly [tool: string]: CallToolResult }
}

/** The hosts that a rule is about. */
const HOSTS: { readonly [rule: string]: readonly string[] } = { 'view-domain': CLAUDE_HOSTS, 'view-result-size': CLAUDE_HOSTS }

/** Checks the views of a server: the faults that leave their frames empty. */
export async function lintViews(inventory: ServerInventory, options: LintOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  const reportOn =
    (where: string): ReportFinding =>
    (level, rule, message) => {
      const hosts = HOSTS[rule]
      findings.push({ level, rule, where, message, advice: adviceOf(rule), ...(hosts && { hosts }) })
    }
  for (const tool of inventory.tools) checkTool(tool, inventory.tools, reportOn(`tool ${tool.name}`))
  for (const tool of inventory.tools) checkResult(tool, options.results?.[tool.name], reportOn(`tool ${tool.name}`))
  for (const view of viewsOf(inventory)) await checkView(view, options, reportOn(`resource ${view.uri}`))
  return findings
}

async function checkView(view: LintedView, { since, url }: LintOptions, report: ReportFinding): Promise<void> {
  const page = await pageOf(view)
  if (!page) return report('error', 'view-missing', reasonOf(view))
  for (const { rule, level, find } of PAGE_RULES) for (const message of find(page)) report(level, rule, message)
  for (const message of await faultsOfDomain(page, url)) report('error', 'view-domain', message)
  const before = since?.views?.find(({ uri }) => uri === view.uri)
  if (before && before.sha256 !== view.read.sha256)
    report(
      'error',
      'view-same-uri',
      'the page has changed, but its URI has not: hosts keep pages by their URI, and show the old one',
    )
}

function reasonOf({ read, tools }: LintedView): string {
  const by = tools.length > 0 ? `, which the tool ${tools.map(({ name }) => name).join(', ')} names,` : ''
  if (read.error !== undefined) {
    const reason = read.error instanceof Error ? read.error.message : String(read.error)
    return `the view${by} cannot be read: ${reason}`
  }
  return `the view${by} is empty`
}

function checkTool(tool: Tool, tools: readonly Tool[], report: ReportFinding): void {
  const { resourceUri, visibility } = readToolView(tool)
  if (visibility && !TOOL_AUDIENCES.some((audience) => visibility.includes(audience)))
    report('error', 'view-hidden', `its visibility names neither model nor app: nobody can call it`)
  if (resourceUri === undefined) return
  if (!isViewUri(resourceUri))
    report('error', 'view-uri', `the URI of its view does not start with ui://: ${resourceUri.slice(0, 100)}`)
  const isShown = tools.some((one) => readToolView(one).resourceUri === resourceUri && isVisibleTo(one, 'model'))
  if (visibility?.includes('app') && !isShown)
    report('warning', 'view-hidden', 'only views may call it, and no tool for the model has its view: no host shows the view')
  const { [ViewKey.nested]: ui } = itemMetaOf(tool)
  if (!isObject(ui) || ui.resourceUri !== resourceUri) {
    const key = itemMetaOf(tool)[ViewKey.flat] === resourceUri ? ViewKey.flat : ViewKey.openai
    report('warning', 'view-key', `only ${key} names its view: some hosts do not find it`)
  }
}

function checkResult(tool: Tool, result: CallToolResult | undefined, report: ReportFinding): void {
  if (!result || readToolView(tool).resourceUri === undefined) return
  const { length } = JSON.stringify(result)
  if (length > MAX_RESULT_CHARACTERS)
    report(
      'error',
      'view-result-size',
      `the result has ${length} characters. Claude passes at most ${MAX_RESULT_CHARACTERS} to a view, which stays empty`,
    )
  if (!result.content.some((block) => block.type === 'text' && block.text.trim() !== ''))
    report('warning', 'view-text', 'the result has no text: models, and hosts without views, get nothing to read')
}

/** Reports which views ChatGPT gives no origins. */
export function viewNotes(inventory: ServerInventory): HostNote[] {
  const pages = viewsOf(inventory).filter(({ read, tools }) => read.contents && tools.length > 0)
  const isStandardOnly = ({ read, listed }: LintedView): boolean =>
    hasOrigins(standardCsp(read.contents) ?? standardCsp(listed)) && !openaiCsp(read.contents) && !openaiCsp(listed)
  const tools = [...new Set(pages.filter(isStandardOnly).flatMap((view) => view.tools.map(({ name }) => name)))]
  if (tools.length === 0) return []
  const rule = 'view-openai-csp'
  const message = 'ChatGPT was reported to read only openai/widgetCSP, and to block the origins that ui.csp alone names'
  return [{ rule, message, advice: adviceOf(rule), hosts: ['ChatGPT'], tools }]
}

const hasOrigins = (csp: ReturnType<typeof standardCsp>): boolean => Object.values(csp ?? {}).flat().length > 0
