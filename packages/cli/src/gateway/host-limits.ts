import type { Tool } from 'portcall/client'
import type { HostEffect } from 'portcall/diagnostics'
import { type GatewayConfig, type ToolSetOptions, toolSet } from 'portcall/gateway'
import { isSuccess, type Request, success } from 'portcall/jsonrpc'

const LIST: Request = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

/** Warns about hosts that accept fewer tools than all servers, or a set of their tools, offer together. */
export async function exceededHostLimits(
  tools: readonly Tool[],
  { search, sets = {} }: Pick<GatewayConfig['settings'], 'search' | 'sets'>,
): Promise<string[]> {
  if (search) return []
  const warnings = await Promise.all([
    describeExcess(
      tools,
      (effects) => `The servers offer ${effects}. Offer fewer with gateway.servers.NAME.tools, gateway.sets or gateway.search`,
    ),
    ...Object.entries(sets).map(async ([name, set]) =>
      describeExcess(
        await toolsOf(set, tools),
        (effects) => `The set ${name} offers ${effects}. Offer fewer with gateway.sets.${name}`,
      ),
    ),
  ])
  return warnings.flat()
}

/** Returns what a set lists of the tools. */
async function toolsOf(set: ToolSetOptions, tools: readonly Tool[]): Promise<Tool[]> {
  const context = { signal: new AbortController().signal, notify: () => {} }
  const response = await toolSet(set)(LIST, context, async ({ id }) => success(id, { tools }))
  return isSuccess(response) ? (response.result['tools'] as Tool[]) : []
}

async function describeExcess(tools: readonly Tool[], describe: (effects: string) => string): Promise<string[]> {
  const { lint } = await import('portcall/diagnostics')
  const discovered = { supportedVersions: [], capabilities: {}, ttlMs: 0, cacheScope: 'private' as const }
  const { hosts } = await lint({ discovered, tools, resources: [], templates: [], prompts: [] })
  const by = (effect: HostEffect): string =>
    hosts
      .filter(({ problems }) => problems.some((problem) => problem.rule === 'tool-count' && problem.effect === effect))
      .map(({ host }) => host)
      .join(', ')
  const effects = [by('refuses') && `refused by ${by('refuses')}`, by('changes') && `cut by ${by('changes')}`].filter(Boolean)
  return effects.length === 0 ? [] : [describe(`${tools.length} tools together: ${effects.join('; ')}`)]
}
