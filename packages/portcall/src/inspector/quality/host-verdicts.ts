import type { Tool } from '../../entrypoints/client.ts'
import { isObject } from '../../entrypoints/jsonrpc.ts'
import type { HostProblem, HostVerdict } from '../protocol/diagnosis.ts'
import { HOST_PROFILES, type HostRule } from './hosts.ts'
import type { ServerInventory } from './inventory.ts'

/** Returns what each known host makes of the tools of a server. Each limit names where it was found. */
export function judgeHosts(inventory: ServerInventory): HostVerdict[] {
  return HOST_PROFILES.map(({ host, rules }) => {
    const problems = rules.flatMap((rule) => problemsOf(rule, inventory))
    const verdict = problems.some(({ effect }) => effect === 'refuses') ? 'refuses' : problems.length > 0 ? 'changes' : 'accepts'
    return { host, verdict, problems }
  })
}

function problemsOf(rule: HostRule, { tools, discovered }: ServerInventory): HostProblem[] {
  const { effect, source } = rule
  const problem = (message: string, advice: string, tool?: string): HostProblem[] => [
    { effect, message, advice, source, ...(tool !== undefined && { tool }) },
  ]
  const ofTools = (judge: (tool: Tool) => HostProblem[]): HostProblem[] => tools.flatMap(judge)
  switch (rule.kind) {
    case 'tools':
      return tools.length > rule.most
        ? problem(`${tools.length} tools; the limit is ${rule.most}, of all servers together`, 'Offer fewer tools.')
        : []
    case 'characters':
      return ofTools(({ name }) =>
        /^[a-zA-Z0-9_-]+$/.test(name)
          ? []
          : problem('the name has characters other than letters, digits, _ and -', 'Rename the tool.', name),
      )
    case 'name':
      return ofTools(({ name }) => {
        const { length } = rule.nameOf(discovered.serverInfo?.name ?? '', name)
        return length > rule.most
          ? problem(
              `the name has ${length} characters as the host uses it; the limit is ${rule.most}`,
              'Choose a shorter name.',
              name,
            )
          : []
      })
    default:
      return ofTools(({ name, inputSchema }) => {
        const found = rule.keywords.filter((keyword) => isObject(inputSchema) && inputSchema[keyword] !== undefined)
        const advice = 'Use an object with properties at the root, and move the alternatives into a property.'
        return found.length > 0 ? problem(`${found.join(', ')} at the root of the input schema`, advice, name) : []
      })
  }
}
