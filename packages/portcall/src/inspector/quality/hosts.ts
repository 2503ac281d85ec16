/** What hosts and the APIs of models accept. One table, so that a changed limit is changed in one place. */

/** A limit, and who has it. */
export interface HostLimit {
  readonly limit: number
  readonly hosts: string
}

export const HOST_LIMITS: {
  readonly [name in 'nameWithServer' | 'description' | 'someTools' | 'mostTools' | 'depth']: HostLimit
} = {
  /** Hosts add the name of the server as a prefix, and count both. */
  nameWithServer: { limit: 40, hosts: 'some hosts' },
  description: { limit: 1024, hosts: 'some hosts' },
  someTools: { limit: 40, hosts: 'some hosts' },
  mostTools: { limit: 128, hosts: 'VS Code and the OpenAI API' },
  depth: { limit: 5, hosts: 'some hosts' },
}

/** The tool names that the APIs of all large models accept. */
export const TOOL_NAME: RegExp = /^[a-zA-Z0-9_-]{1,64}$/
/** The first characters of tool names that the Gemini API accepts. */
export const TOOL_NAME_START: RegExp = /^[a-zA-Z_]/
/** The argument names that the APIs of all large models accept. */
export const ARGUMENT_NAME: RegExp = /^[a-zA-Z0-9_.-]{1,64}$/
/** The keywords that hosts refuse at the root of an input schema. */
export const ROOT_COMBINERS = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'] as const
/** The keywords that the subsets of JSON Schema of some hosts and models lack, at any depth. */
export const OUTSIDE_SUBSETS: readonly string[] = [
  'oneOf',
  'allOf',
  'not',
  'if',
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedProperties',
  'prefixItems',
  'contains',
  '$dynamicRef',
]

/** A published limit of a host: what it does with what exceeds it, and the address of the document or the issue that says so. */
export type HostRule = { readonly effect: 'changes' | 'refuses'; readonly source: string } & (
  | { readonly kind: 'tools'; readonly most: number }
  /** `nameOf` returns the name that the host passes to the model. */
  | { readonly kind: 'name'; readonly most: number; readonly nameOf: (server: string, tool: string) => string }
  | { readonly kind: 'characters' }
  | { readonly kind: 'root'; readonly keywords: readonly string[] }
)

/** A host, and what it is known not to accept. */
export interface HostProfile {
  readonly host: string
  readonly rules: readonly HostRule[]
}

const MCP_NAME = (server: string, tool: string): string => `mcp__${server}__${tool}`

/** The known limits of hosts. `portcall check`, `portcall doctor` and the inspector judge by this table. */
export const HOST_PROFILES: readonly HostProfile[] = [
  {
    host: 'Claude Desktop',
    rules: [
      {
        kind: 'name',
        most: 64,
        nameOf: (_server, tool) => tool,
        effect: 'refuses',
        source: 'https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1063',
      },
      {
        kind: 'characters',
        effect: 'refuses',
        source: 'https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1063',
      },
    ],
  },
  {
    host: 'Claude Code',
    rules: [
      { kind: 'name', most: 128, nameOf: MCP_NAME, effect: 'refuses', source: 'https://github.com/microsoft/wassette/issues/56' },
      { kind: 'characters', effect: 'refuses', source: 'https://github.com/microsoft/wassette/issues/56' },
      {
        kind: 'root',
        keywords: ['oneOf', 'allOf', 'anyOf'],
        effect: 'refuses',
        source: 'https://github.com/anthropics/claude-code/issues/4886',
      },
    ],
  },
  {
    host: 'Codex',
    rules: [
      {
        kind: 'name',
        most: 64,
        nameOf: MCP_NAME,
        effect: 'changes',
        source: 'https://github.com/openai/codex/blob/main/codex-rs/core/src/mcp_connection_manager.rs',
      },
    ],
  },
  {
    host: 'Cursor',
    rules: [
      { kind: 'tools', most: 80, effect: 'changes', source: 'https://github.com/Snowflake-Labs/mcp/issues/77' },
      {
        kind: 'name',
        most: 60,
        nameOf: (server, tool) => `${server}:${tool}`,
        effect: 'refuses',
        source: 'https://github.com/awslabs/mcp/issues/1283',
      },
    ],
  },
  {
    host: 'Gemini CLI',
    rules: [
      {
        kind: 'name',
        most: 64,
        nameOf: (server, tool) => `mcp_${server}_${tool}`,
        effect: 'changes',
        source: 'https://zuplo.com/learn/mcp/compatibility/clients/gemini-cli',
      },
    ],
  },
  {
    host: 'opencode',
    rules: [{ kind: 'characters', effect: 'changes', source: 'https://github.com/anomalyco/opencode/pull/1769' }],
  },
  {
    host: 'VS Code',
    rules: [
      { kind: 'tools', most: 128, effect: 'refuses', source: 'https://code.visualstudio.com/docs/copilot/agents/agent-tools' },
    ],
  },
  {
    host: 'Windsurf',
    rules: [{ kind: 'tools', most: 100, effect: 'changes', source: 'https://docs.devin.ai/desktop/cascade/mcp' }],
  },
]
