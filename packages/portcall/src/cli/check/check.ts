import type { Finding, Report } from './finding.ts'
import type { Offer } from './offer.ts'
import { checkPrompt, checkResource, checkTemplate } from './others.ts'
import { checkTool } from './tools.ts'

/** What was found, and what the tools cost. */
export interface Checked {
  readonly findings: readonly Finding[]
  /** About how many tokens a model reads before anything is said, when it is given all tools. */
  readonly toolTokens: number
}

const MAX_TOOLS = 40
const MAX_TOKENS = 10_000
/** English text and JSON have about as many characters a token, with every large model. */
const CHARACTERS_PER_TOKEN = 4

/** Looks at all that a server offers. */
export async function checkOffer(offer: Offer): Promise<Checked> {
  const findings: Finding[] = []
  const about =
    (where: string): Report =>
    (level, rule, message) =>
      void findings.push({ level, rule, where, message })
  const toolTokens = tokensOf(offer)
  checkServer(offer, toolTokens, about('server'))
  for (const tool of offer.tools) await checkTool(tool, about(`tool ${tool.name}`))
  for (const resource of offer.resources) checkResource(resource, about(`resource ${resource.uri}`))
  for (const template of offer.templates) checkTemplate(template, about(`template ${template.uriTemplate}`))
  for (const prompt of offer.prompts) checkPrompt(prompt, about(`prompt ${prompt.name}`))
  return { findings, toolTokens }
}

function checkServer({ about, tools, prompts }: Offer, toolTokens: number, report: Report): void {
  if (!about.instructions) report('warning', 'instructions', 'there are no instructions: a model is not told when to use it')
  if (tools.length > MAX_TOOLS)
    report('warning', 'tool-count', `${tools.length} tools; some hosts use ${MAX_TOOLS} of all servers together`)
  if (toolTokens > MAX_TOKENS) report('warning', 'tool-tokens', `the tools cost about ${toolTokens} tokens in every conversation`)
  for (const name of twice(tools.map((one) => one.name)))
    report('error', 'tool-twice', `there are two tools ${name}, or only capitals tell them apart`)
  for (const name of twice(prompts.map((one) => one.name))) report('error', 'prompt-twice', `there are two prompts ${name}`)
}

function tokensOf({ tools }: Offer): number {
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return shown.length === 0 ? 0 : Math.ceil(JSON.stringify(shown).length / CHARACTERS_PER_TOKEN)
}

function twice(names: readonly string[]): string[] {
  const lower = names.map((name) => name.toLowerCase())
  return names.filter((_, at) => lower.indexOf(lower[at] ?? '') !== at)
}
