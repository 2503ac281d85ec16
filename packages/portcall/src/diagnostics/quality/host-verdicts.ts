import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Tool } from '../../protocol/types.ts'
import { isWithinLimits } from '../../schema/limits.ts'
import { walkSchemas } from '../../schema/walk.ts'
import { adviceOf } from './advice.ts'
import type { HostLimit, HostRule } from './host-rule.ts'
import type { HostProblem, HostVerdict } from './host-verdict.ts'
import { HOST_PROFILES } from './hosts.ts'
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
  'argument-description': 'argument-description-length',
  instructions: 'instructions-length',
  root: 'input-schema-root',
  shape: 'input-schema-form',
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
      if (rule.kind === 'instructions')
        return report(problemOfText('the instructions have', inventory.discovered.instructions, rule.most))
      return inventory.tools.flatMap((tool) => report(problemOfTool(rule, tool, server), tool))
    }),
  )
}

const problemOfCount = (most: number, count: number): string | undefined =>
  count > most ? `${count} tools; the limit is ${most}, of all servers together` : undefined

const problemOfText = (subject: string, text = '', most: number): string | undefined =>
  text.length > most ? `${subject} ${text.length} characters; the limit is ${most}` : undefined

function problemOfTool(
  rule: Exclude<HostRule, { kind: 'tools' | 'instructions' }>,
  tool: Tool,
  server: string,
): string | undefined {
  switch (rule.kind) {
    case 'characters':
      return rule.pattern.test(tool.name) ? undefined : `the name may only have ${rule.words}`
    case 'name': {
      const { length } = rule.nameOf?.(server, tool.name) ?? tool.name
      const message = `the name has ${length} characters${rule.nameOf ? " together with the server's" : ''}; the limit is ${rule.most}`
      return length > rule.most ? message : undefined
    }
    case 'description':
      return problemOfText('the description has', tool.description, rule.most)
    case 'argument-description': {
      const [longest] = Object.entries(argumentsOf(tool)).sort((a, b) => descriptionOf(b[1]).length - descriptionOf(a[1]).length)
      return longest && problemOfText(`the description of ${longest[0]} has`, descriptionOf(longest[1]), rule.most)
    }
    case 'argument': {
      const wrong = Object.keys(argumentsOf(tool)).filter((argument) => !rule.pattern.test(argument))
      const message = `the argument ${wrong.map((argument) => JSON.stringify(argument)).join(', ')} is not 1 to 64 letters, digits, _, . and -`
      return wrong.length > 0 ? message : undefined
    }
    case 'shape':
      return problemOfShape(rule.words, rule.matches, tool)
    default: {
      const schema = isObject(tool.inputSchema) ? tool.inputSchema : {}
      const isExempt = rule.unless !== undefined && schema[rule.unless] !== undefined
      const found = isExempt ? [] : rule.keywords.filter((keyword) => schema[keyword] !== undefined)
      return found.length > 0 ? `${found.join(', ')} at the root of the input schema` : undefined
    }
  }
}

/** Names the first part of an input schema that has a form. */
function problemOfShape(words: string, matches: (schema: JsonObject) => boolean, { inputSchema }: Tool): string | undefined {
  if (!isWithinLimits(inputSchema)) return undefined
  let found: JsonObject | undefined
  walkSchemas(inputSchema, undefined, (schema) => void (matches(schema) && (found ??= schema)))
  const path = found && pathTo(found, inputSchema)
  return path && `${words}${path.length === 0 ? '' : `, at ${path.join('.')}`} in the input schema`
}

/** Returns the keys that lead from a value to a part of it. */
function pathTo(part: JsonObject, value: unknown): string[] | undefined {
  if (value === part) return []
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, child] of Object.entries(value)) {
    const rest = pathTo(part, child)
    if (rest) return [key, ...rest]
  }
  return undefined
}

const argumentsOf = ({ inputSchema }: Tool): JsonObject =>
  isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}

const descriptionOf = (argument: unknown): string =>
  isObject(argument) && typeof argument.description === 'string' ? argument.description : ''
