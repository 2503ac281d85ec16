import type { Tool } from '../../entrypoints/client.ts'
import { isObject } from '../../entrypoints/jsonrpc.ts'
import type { HostProblem, HostVerdict } from '../protocol/diagnosis.ts'
import { HOST_PROFILES, type HostLimit, type HostRule } from './hosts.ts'
import type { ServerInventory } from './inventory.ts'

/** A problem, the limit that it exceeds, and the host. */
export interface ExceededLimit extends HostProblem {
  readonly host: string
  readonly kind: HostLimit['kind']
  /** The limit as a number, if it is one. */
  readonly most?: number
}

/** Returns what each known host makes of the tools of a server. Each limit names where it was found. */
export function judgeHosts(inventory: ServerInventory): HostVerdict[] {
  const exceeded = exceededLimits(inventory)
  return HOST_PROFILES.map(({ host }) => {
    const problems = exceeded.filter((one) => one.host === host).map(toProblem)
    const verdict = problems.some(({ effect }) => effect === 'refuses') ? 'refuses' : problems.length > 0 ? 'changes' : 'accepts'
    return { host, verdict, problems }
  })
}

const toProblem = ({ host: _host, kind: _kind, most: _most, ...problem }: ExceededLimit): HostProblem => problem

/** Lists each limit of each known host that the tools of a server exceed. */
export function exceededLimits(inventory: ServerInventory): ExceededLimit[] {
  const server = inventory.discovered.serverInfo?.name ?? ''
  return HOST_PROFILES.flatMap(({ host, rules }) =>
    rules.flatMap((rule) => {
      const { effect, source, kind } = rule
      const shared = { host, kind, effect, source, ...('most' in rule && { most: rule.most }) }
      if (rule.kind === 'tools')
        return problemOfCount(rule.most, inventory.tools.length).map((found) => ({ ...shared, ...found }))
      return inventory.tools.flatMap((tool) =>
        problemOfTool(rule, tool, server).map((found) => ({ ...shared, ...found, tool: tool.name })),
      )
    }),
  )
}

type Found = Pick<HostProblem, 'message' | 'advice'>[]

function problemOfCount(most: number, count: number): Found {
  return count > most
    ? [{ message: `${count} tools; the limit is ${most}, of all servers together`, advice: 'Offer fewer tools.' }]
    : []
}

function problemOfTool(rule: Exclude<HostRule, { kind: 'tools' }>, tool: Tool, server: string): Found {
  switch (rule.kind) {
    case 'characters':
      return rule.pattern.test(tool.name) ? [] : [{ message: `the name may only have ${rule.words}`, advice: 'Rename the tool.' }]
    case 'name': {
      const { length } = rule.nameOf?.(server, tool.name) ?? tool.name
      const message = `the name has ${length} characters${rule.nameOf ? " together with the server's" : ''}; the limit is ${rule.most}`
      return length > rule.most ? [{ message, advice: 'Choose a shorter name.' }] : []
    }
    case 'description': {
      const { length } = tool.description ?? ''
      const message = `the description has ${length} characters; the limit is ${rule.most}`
      return length > rule.most ? [{ message, advice: 'Shorten the description.' }] : []
    }
    case 'argument': {
      const wrong = argumentsOf(tool).filter((argument) => !rule.pattern.test(argument))
      const message = `the argument ${wrong.map((argument) => JSON.stringify(argument)).join(', ')} is not 1 to 64 letters, digits, _, . and -`
      return wrong.length > 0 ? [{ message, advice: 'Rename the argument.' }] : []
    }
    default: {
      const found = rule.keywords.filter((keyword) => isObject(tool.inputSchema) && tool.inputSchema[keyword] !== undefined)
      const advice = 'Use an object with properties at the root, and move the alternatives into a property.'
      return found.length > 0 ? [{ message: `${found.join(', ')} at the root of the input schema`, advice }] : []
    }
  }
}

function argumentsOf({ inputSchema }: Tool): string[] {
  return isObject(inputSchema) && isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : []
}
