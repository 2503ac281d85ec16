/** The tools of servers, in the form that all adapters start from. */

import type { OptionNames } from '../../../util/src/check-options.ts'
import type { CallOptions, Progress } from '../client/options.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { isVisibleTo } from '../protocol/apps.ts'
import type { CallToolResult, Tool } from '../protocol/types.ts'
import { MAX_TOOL_NAME_LENGTH } from '../schema/model-apis.ts'
import { type ProviderSchema, toProviderSchema } from './provider-schema.ts'

/** A client, or a group of clients that `connectAll` returned. */
export interface ToolSource {
  /** Lists the tools. */
  tools(): {
    /** Fetches all pages. */
    toArray(): Promise<Tool[]>
  }
  /** Calls a tool. */
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>
}

/** A call that a model requests. */
export interface AgentToolCall {
  /** The tool, as its server describes it. In a group, the name contains that of the server. */
  readonly tool: Tool
  /** The arguments that the model chose. */
  readonly args: JsonObject
}

/** The options of all adapters for agents. */
export interface AgentToolOptions {
  /** Returns whether the agent gets a tool. Default: it gets all that are for models. */
  readonly filter?: (tool: Tool) => boolean
  /** Decides before each call whether it may happen. The model learns of a refusal. Default: every call may. */
  readonly approve?: (call: AgentToolCall) => boolean | Promise<boolean>
  /** Receives the progress of calls. */
  readonly onProgress?: (call: AgentToolCall, progress: Progress) => void
  /** Receives each tool that the agent does not get because no model API accepts it. Default: a warning with `console.warn`. */
  readonly onUnsupported?: (tool: Tool, reason: string) => void
  /** Options of each call, such as timeouts and headers. */
  readonly callOptions?: Omit<CallOptions, 'signal' | 'onProgress'>
}

/** The names of the options of all adapters. */
export const AGENT_TOOL_OPTIONS: OptionNames<AgentToolOptions> = {
  filter: 'function',
  approve: 'function',
  onProgress: 1,
  onUnsupported: 1,
  callOptions: 'object',
}

/** A tool for an agent. */
export interface AgentTool {
  /** The name for the model: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string
  readonly description: string
  readonly tool: Tool
  /** The schema of the arguments, in a form that all model APIs accept. */
  readonly inputSchema: JsonObject
  /** Calls the tool. Errors of the tool, and calls that are not approved, are results with `isError`. */
  call(args: JsonObject, signal?: AbortSignal | null): Promise<CallToolResult>
}

/** Lists the tools of a client or a group for an agent, without those that only views call. */
export async function listAgentTools(source: ToolSource, options: AgentToolOptions = {}): Promise<AgentTool[]> {
  const tools = (await source.tools().toArray()).filter((tool) => isVisibleTo(tool, 'model'))
  const taken = new Set<string>()
  return tools.filter(options.filter ?? (() => true)).flatMap((tool) => {
    const input = readInput(tool, options)
    return input ? [createAgentTool({ tool, name: fitName(tool.name, taken), input }, { source, options })] : []
  })
}

/** Returns the schema that the model gets. One tool with a wrong schema would make all requests of the agent fail: it is left out. */
function readInput(tool: Tool, { onUnsupported = warn }: AgentToolOptions): ProviderSchema | undefined {
  try {
    return toProviderSchema({ ...tool.inputSchema })
  } catch (error) {
    onUnsupported(tool, error instanceof Error ? error.message : String(error))
    return undefined
  }
}

function warn({ name }: Tool, reason: string): void {
  console.warn(`[portcall] The agent does not get the tool ${name}: ${reason}`)
}

interface ListedTool {
  readonly tool: Tool
  readonly name: string
  readonly input: ProviderSchema
}

interface AgentToolContext {
  readonly source: ToolSource
  readonly options: AgentToolOptions
}

function createAgentTool({ tool, name, input }: ListedTool, { source, options }: AgentToolContext): AgentTool {
  const { approve, onProgress, callOptions } = options
  return {
    name,
    description: tool.description ?? tool.title ?? '',
    tool,
    inputSchema: input.schema,
    async call(chosen, signal) {
      const args = Object.fromEntries(Object.entries(chosen).map(([key, value]) => [input.originalNames.get(key) ?? key, value]))
      const call = { tool, args }
      if (approve && !(await approve(call))) return refusal()
      return source.callTool(tool.name, args, {
        ...callOptions,
        ...(signal && { signal }),
        ...(onProgress && { onProgress: (progress) => onProgress(call, progress) }),
      })
    },
  }
}

function refusal(): CallToolResult {
  return { content: [{ type: 'text', text: 'The user did not approve this call.' }], isError: true }
}

/** Returns a name that all providers accept and that is not taken. */
function fitName(name: string, taken: Set<string>): string {
  const base = name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_TOOL_NAME_LENGTH) || 'tool'
  let fitting = base
  for (let count = 2; taken.has(fitting); count++) {
    const suffix = `_${count}`
    fitting = base.slice(0, MAX_TOOL_NAME_LENGTH - suffix.length) + suffix
  }
  taken.add(fitting)
  return fitting
}
