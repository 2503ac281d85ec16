import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { typeOfSchema } from '../../schema/typescript.ts'
import { ORIGIN_META } from '../origin.ts'

/** The names of the tools that stand for all others. */
export interface SearchToolNames {
  /** The tool that searches. Default: `search_tools`. */
  readonly search?: string
  /** The tool that returns definitions. Default: `describe_tool`. */
  readonly describe?: string
  /** The tool that calls another one. Default: `call_tool`. */
  readonly call?: string
}

const MAX_GROUPS = 40
const MAX_GROUP_LENGTH = 60
const MAX_SUMMARY_LENGTH = 200
const MAX_SIGNATURE_LENGTH = 400

/** Returns the definitions of the tools that stand for others. */
export function defineSearchTools(names: Required<SearchToolNames>, tools: readonly JsonObject[]): JsonObject[] {
  const { search, describe, call } = names
  const readOnly = { readOnlyHint: true, openWorldHint: false }
  return [
    {
      name: search,
      description: `Finds tools by what they do. ${describeGroups(tools)} Returns the names and arguments of the best matches. Call a tool with ${call}.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What the tool should do, in a few words' },
          limit: { type: 'integer', minimum: 1, maximum: 25, description: 'Maximum number of tools. Default: 5' },
        },
        required: ['query'],
      },
      annotations: readOnly,
    },
    {
      name: describe,
      description: `Returns the full description and the JSON Schemas of a tool that ${search} found.`,
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      annotations: readOnly,
    },
    {
      name: call,
      description: `Calls a tool that ${search} found, and returns its result.`,
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, arguments: { type: 'object', description: 'The arguments of the tool' } },
        required: ['name'],
      },
    },
  ]
}

/** Says how many tools there are, and which servers they belong to. */
export function describeGroups(tools: readonly JsonObject[]): string {
  const groups = new Map<string, number>()
  for (const tool of tools) {
    const group = groupOf(tool)
    if (group !== undefined) groups.set(group, (groups.get(group) ?? 0) + 1)
  }
  const count = `${tools.length} tools are available`
  if (groups.size === 0) return `${count}.`
  const all = [...groups].map(([name, size]) => `${name} (${size})`)
  const shown = all.slice(0, MAX_GROUPS)
  return `${count}: ${shown.join(', ')}${all.length > shown.length ? `, and ${all.length - shown.length} other servers` : ''}.`
}

/** Returns the server of a tool: a gateway names it, or it is a prefix of the name. */
function groupOf({ _meta, name }: JsonObject): string | undefined {
  const origin = isObject(_meta) ? _meta[ORIGIN_META] : undefined
  if (isObject(origin) && typeof origin.server === 'string') return origin.server.slice(0, MAX_GROUP_LENGTH)
  const [prefix, rest] = String(name).split('__')
  return rest === undefined ? undefined : prefix?.slice(0, MAX_GROUP_LENGTH)
}

/** Describes found tools in a few lines each. */
export function formatMatches(tools: readonly JsonObject[]): string {
  return tools.map((tool) => `${tool.name}(${signatureOf(tool)})\n  ${summaryOf(tool)}`).join('\n')
}

function signatureOf({ inputSchema }: JsonObject): string {
  const properties = isObject(inputSchema) ? inputSchema.properties : undefined
  if (!isObject(properties) || Object.keys(properties).length === 0) return ''
  const type = typeOfSchema(inputSchema, { maxDepth: 3 })
  if (type.length <= MAX_SIGNATURE_LENGTH) return type
  const short = typeOfSchema(inputSchema, { maxDepth: 0 })
  return short.length <= MAX_SIGNATURE_LENGTH ? short : `{ ${Object.keys(properties).slice(0, 12).join(', ')}, … }`
}

function summaryOf({ description, title, name }: JsonObject): string {
  const text = String(description ?? title ?? name)
    .replace(/\s+/g, ' ')
    .trim()
  return text.length > MAX_SUMMARY_LENGTH ? `${text.slice(0, MAX_SUMMARY_LENGTH)}…` : text
}
