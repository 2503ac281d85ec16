import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { estimateToolTokens, estimateTotalTokens, type ToolTokens } from '../../compose/tool-tokens.ts'
import { adviceOf } from './advice.ts'
import type { Finding, ReportFinding } from './finding.ts'
import { hostFindings } from './host-findings.ts'
import { type HostNote, hostNotes } from './host-notes.ts'
import type { HostVerdict } from './host-verdict.ts'
import { judgeHosts } from './host-verdicts.ts'
import type { ServerInventory } from './inventory.ts'
import { checkPrompt, checkResource, checkTemplate, checkTool } from './rules.ts'
import { type LintOptions, lintViews, viewNotes } from './views/lint-views.ts'

/** The result of `lint`. */
export interface LintResult {
  /** The problems, in the order of the lists. */
  readonly findings: readonly Finding[]
  /** An estimate of the tokens that the definitions of all tools take in a model's context. */
  readonly toolTokens: number
  /** The estimate for each tool. */
  readonly tokensByTool: readonly ToolTokens[]
  /** The verdicts of known hosts about the tools. */
  readonly hosts: readonly HostVerdict[]
  /** Changes that hosts make to every server of this kind. Nothing is wrong, but the author should know. */
  readonly notes: readonly HostNote[]
}

const MAX_TOKENS = 10_000

const NAMES: OptionNames<LintOptions> = { since: 'object', url: 'nonempty', results: 'object' }

/** Checks the tools, views, resources and prompts of a server, as `portcall check` does. @throws TypeError for wrong options. */
export async function lint(inventory: ServerInventory, options: LintOptions = {}): Promise<LintResult> {
  checkOptions('lint()', options, { names: NAMES })
  const findings: Finding[] = []
  const reportOn =
    (where: string): ReportFinding =>
    (level, rule, message) =>
      void findings.push({ level, rule, where, message, advice: adviceOf(rule) })
  const toolTokens = estimateTotalTokens(inventory.tools)
  checkServer(inventory, toolTokens, reportOn('server'))
  findings.push(...hostFindings(inventory))
  for (const tool of inventory.tools) await checkTool(tool, reportOn(`tool ${tool.name}`))
  findings.push(...(await lintViews(inventory, options)))
  for (const resource of inventory.resources) checkResource(resource, reportOn(`resource ${resource.uri}`))
  for (const template of inventory.templates) checkTemplate(template, reportOn(`template ${template.uriTemplate}`))
  for (const prompt of inventory.prompts) checkPrompt(prompt, reportOn(`prompt ${prompt.name}`))
  return {
    findings,
    toolTokens,
    tokensByTool: estimateToolTokens(inventory.tools),
    hosts: judgeHosts(inventory),
    notes: [...hostNotes(inventory), ...viewNotes(inventory)],
  }
}

function checkServer({ discovered, tools, prompts }: ServerInventory, toolTokens: number, report: ReportFinding): void {
  if (!discovered.instructions) report('warning', 'instructions', 'no instructions: models are not told when to use the server')
  if (toolTokens > MAX_TOKENS) report('warning', 'tool-tokens', `the tools take about ${toolTokens} tokens in every conversation`)
  for (const name of duplicates(tools.map((tool) => tool.name)))
    report('error', 'tool-twice', `there are two tools named ${name}, or their names differ only in case`)
  for (const name of duplicates(prompts.map((prompt) => prompt.name)))
    report('error', 'prompt-twice', `there are two prompts named ${name}`)
}

function duplicates(names: readonly string[]): string[] {
  const lowerCase = names.map((name) => name.toLowerCase())
  return names.filter((_, index) => lowerCase.indexOf(lowerCase[index] ?? '') !== index)
}
