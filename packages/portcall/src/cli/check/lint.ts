import type { Client, DiscoverResult, Prompt, Resource, ResourceTemplate, Tool } from '../../entrypoints/client.ts'
import { checkPrompt, checkResource, checkTemplate, checkTool, type Finding, type ReportFinding } from './rules.ts'

/** Everything that a server offers. */
export interface ServerInventory {
  readonly discovered: DiscoverResult
  readonly tools: readonly Tool[]
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplate[]
  readonly prompts: readonly Prompt[]
}

export interface LintResult {
  readonly findings: readonly Finding[]
  /** Estimate of the tokens that the definitions of all tools take in a model's context. */
  readonly toolTokens: number
}

/** Lists everything that a server offers, as far as it declares the capability. */
export async function readInventory(client: Client): Promise<ServerInventory> {
  const discovered = await client.discover()
  const { tools, resources, prompts } = discovered.capabilities
  return {
    discovered,
    tools: tools ? await client.tools().toArray() : [],
    resources: resources ? await client.resources().toArray() : [],
    templates: resources ? await client.resourceTemplates().toArray() : [],
    prompts: prompts ? await client.prompts().toArray() : [],
  }
}

const MAX_TOOLS = 40
const MAX_TOKENS = 10_000
/** Approximately right for English text and JSON, with all large models. */
const CHARACTERS_PER_TOKEN = 4

/** Checks everything that a server offers. */
export async function lint(inventory: ServerInventory): Promise<LintResult> {
  const findings: Finding[] = []
  const reportOn =
    (where: string): ReportFinding =>
    (level, rule, message) =>
      void findings.push({ level, rule, where, message })
  const toolTokens = estimateTokens(inventory.tools)
  checkServer(inventory, toolTokens, reportOn('server'))
  for (const tool of inventory.tools) await checkTool(tool, reportOn(`tool ${tool.name}`))
  for (const resource of inventory.resources) checkResource(resource, reportOn(`resource ${resource.uri}`))
  for (const template of inventory.templates) checkTemplate(template, reportOn(`template ${template.uriTemplate}`))
  for (const prompt of inventory.prompts) checkPrompt(prompt, reportOn(`prompt ${prompt.name}`))
  return { findings, toolTokens }
}

function checkServer({ discovered, tools, prompts }: ServerInventory, toolTokens: number, report: ReportFinding): void {
  if (!discovered.instructions) report('warning', 'instructions', 'no instructions: models are not told when to use the server')
  if (tools.length > MAX_TOOLS)
    report('warning', 'tool-count', `${tools.length} tools; some hosts are limited to ${MAX_TOOLS} tools of all servers together`)
  if (toolTokens > MAX_TOKENS) report('warning', 'tool-tokens', `the tools take about ${toolTokens} tokens in every conversation`)
  for (const name of duplicates(tools.map((tool) => tool.name)))
    report('error', 'tool-twice', `there are two tools named ${name}, or their names differ only in case`)
  for (const name of duplicates(prompts.map((prompt) => prompt.name)))
    report('error', 'prompt-twice', `there are two prompts named ${name}`)
}

/** Estimates how many tokens the definitions of tools take in a model's context. */
export function estimateTokens(tools: readonly { readonly [member: string]: unknown }[] | ServerInventory['tools']): number {
  const definitions = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return definitions.length === 0 ? 0 : Math.ceil(JSON.stringify(definitions).length / CHARACTERS_PER_TOKEN)
}

function duplicates(names: readonly string[]): string[] {
  const lowerCase = names.map((name) => name.toLowerCase())
  return names.filter((_, index) => lowerCase.indexOf(lowerCase[index] ?? '') !== index)
}
