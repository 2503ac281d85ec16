import type { Tool } from '../../entrypoints/client.ts'
import { isObject } from '../../entrypoints/jsonrpc.ts'
import type { HostProblem, HostVerdict } from '../protocol/diagnosis.ts'
import { adviceOf } from './advice.ts'
import { HOST_PROFILES, type HostLimit, type HostRule } from './hosts.ts'
import type { ServerInventory } from './inventory.ts'

/** A problem, the limit that it exceeds, and the host. */
export interface ExceededLimit extends HostProblem {
  readonly host: string
  readonly kind: HostLimit['kind']
  /** The limit as a number, if it is one. */
  readonly most?: number
}

/** The rule of `portcall check` that reports a limit. */
const RULES: { readonly [kind in HostLimit['kind']]: string } = {
  tools: 'tool-count',
  name: 'tool-name-length',
  characters: 'tool-name',
  description: 'tool-description-length',
  argument: 'argument-name',
  root: 'input-schema-root',
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
      const name = RULES[kind]
      const most = 'most' in rule && { most: rule.most }
      const report = (message: string | undefined, tool?: Tool): ExceededLimit[] =>
        message === undefined
          ? []
          : [
              {
                host,
                kind,
                effect,
                source,
                rule: name,
                advice: adviceOf(name),
                message,
                ...most,
                ...(tool && { tool: tool.name }),
              },
            ]
      if (rule.kind === 'tools') return report(problemOfCount(rule.most, inventory.tools.length))
      return inventory.tools.flatMap((tool) => report(problemOfTool(rule, tool, server), tool))
    }),
  )
}

const problemOfCount = (most: number, count: number): string | undefined =>
  count > most ? `${count} tools; the limit is ${most}, of all servers together` : undefined

function problemOfTool(rule: Exclude<HostRule, { kind: 'tools' }>, tool: Tool, server: string): string | undefined {
  switch (rule.kind) {
    case 'characters':
      return rule.pattern.test(tool.name) ? undefined : `the name may only have ${rule.words}`
    case 'name': {
      const { length } = rule.nameOf?.(server, tool.name) ?? tool.name
      const message = `the name has ${length} characters${rule.nameOf ? " together with the server's" : ''}; the limit is ${rule.most}`
      return length > rule.most ? message : undefined
    }
    case 'description': {
      const { length } = tool.description ?? ''
      return length > rule.most ? `the description has ${length} characters; the limit is ${rule.most}` : undefined
    }
    case 'argument': {
      const wrong = argumentsOf(tool).filter((argument) => !rule.pattern.test(argument))
      const message = `the argument ${wrong.map((argument) => JSON.stringify(argument)).join(', ')} is not 1 to 64 letters, digits, _, . and -`
      return wrong.length > 0 ? message : undefined
    }
    default: {
      const found = rule.keywords.filter((keyword) => isObject(tool.inputSchema) && tool.inputSchema[keyword] !== undefined)
      return found.length > 0 ? `${found.join(', ')} at the root of the input schema` : undefined
    }
  }
}

function argumentsOf({ inputSchema }: Tool): string[] {
  return isObject(inputSchema) && isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : []
}
