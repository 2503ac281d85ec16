import {
  ARGUMENT_NAME,
  COMBINERS,
  hasOldLimit,
  isOldTuple,
  lacksItems,
  MAX_TOOL_NAME_LENGTH,
  REFUSED_AT_ROOT,
  TOOL_NAME_CHARACTERS,
} from '../../schema/model-apis.ts'
import type { HostLimit, HostProfile, HostRule } from './host-rule.ts'
import { MEASURED_HOSTS } from './measured-hosts.ts'
import { profileOf } from './measured-profile.ts'

/**
 * Limits of hosts and of the APIs of models. One table, so that a changed limit is changed in one place. `portcall check`, `portcall doctor`
 * and the inspector judge by it.
 *
 * `npm run hosts` runs the programs of some hosts, and records what they do; their limits come from there. Each other limit names the public
 * document, issue or source file that shows it. All have the day on which someone last looked. A limit without a source does not belong here.
 * Hosts that publish no limits of their own, such as Cline, Goose and JetBrains AI Assistant, have those of the API that they call.
 */

const CHECKED = '25 Nov 2026'
const GITHUB = 'https://github.com/'

function rule(limit: HostLimit, effect: HostRule['effect'], source: string): HostRule {
  return { ...limit, effect, source: source.startsWith('https:') ? source : GITHUB + source, checked: CHECKED }
}

const tools = (most: number): HostLimit => ({ kind: 'tools', most })
const name = (most: number, nameOf?: (server: string, tool: string) => string): HostLimit => ({
  kind: 'name',
  most,
  ...(nameOf && { nameOf }),
})
const description = (most: number): HostLimit => ({ kind: 'description', most })
const PLAIN: HostLimit = { kind: 'characters', pattern: TOOL_NAME_CHARACTERS, words: 'letters, digits, _ and -' }
const COMBINERS_AT_ROOT: HostLimit = { kind: 'root', keywords: COMBINERS }
const KEYWORDS_AT_ROOT: HostLimit = { kind: 'root', keywords: REFUSED_AT_ROOT }
const ITEMS_MISSING: HostLimit = { kind: 'shape', words: 'an array without items', matches: lacksItems }
const OLD_TUPLE: HostLimit = { kind: 'shape', words: 'a list of schemas as items, instead of prefixItems', matches: isOldTuple }
const OLD_LIMIT: HostLimit = {
  kind: 'shape',
  words: 'true or false as exclusiveMinimum or exclusiveMaximum, instead of a number',
  matches: hasOldLimit,
}

/** The hosts and APIs that were not run, and where their limits are written. */
const REPORTED: readonly HostProfile[] = [
  {
    host: 'Claude API',
    rules: [
      rule(name(128), 'refuses', 'github/copilot-cli/issues/1879'),
      rule(PLAIN, 'refuses', 'github/copilot-cli/issues/1879'),
      rule({ kind: 'argument', pattern: ARGUMENT_NAME }, 'refuses', 'decocms/studio/pull/6874'),
      rule(COMBINERS_AT_ROOT, 'refuses', 'makenotion/notion-mcp-server/issues/340'),
      rule(OLD_TUPLE, 'refuses', 'hyperdxio/hyperdx/pull/2925'),
      rule(OLD_LIMIT, 'refuses', 'Dokploy/mcp/issues/74'),
    ],
  },
  {
    host: 'claude.ai',
    rules: [
      rule(name(64), 'refuses', 'anthropics/claude-code/issues/57813'),
      rule(PLAIN, 'refuses', 'anthropics/claude-code/issues/57813'),
    ],
  },
  {
    host: 'Claude Desktop',
    rules: [
      rule(name(64), 'refuses', 'modelcontextprotocol/modelcontextprotocol/issues/1063'),
      rule(PLAIN, 'refuses', 'malloydata/publisher/pull/543'),
    ],
  },
  {
    host: 'Copilot CLI',
    rules: [rule(PLAIN, 'refuses', 'github/copilot-cli/issues/1879')],
  },
  {
    host: 'Copilot for JetBrains',
    rules: [rule(tools(128), 'refuses', 'microsoft/copilot-intellij-feedback/issues/1842')],
  },
  {
    host: 'Cursor',
    rules: [
      rule(tools(80), 'changes', 'Snowflake-Labs/mcp/issues/77'),
      rule(
        name(60, (server, tool) => `${server}:${tool}`),
        'refuses',
        'executeautomation/mcp-playwright/issues/145',
      ),
    ],
  },
  {
    host: 'Gemini API',
    rules: [
      rule(name(64), 'refuses', '21st-dev/magic-mcp/issues/34'),
      rule(
        {
          kind: 'characters',
          pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/,
          words: 'a letter or _ first, then letters, digits, _, -, . and :',
        },
        'refuses',
        'kaitranntt/ccs/issues/25',
      ),
    ],
  },
  {
    host: 'OpenAI API (ChatGPT)',
    rules: [
      rule(tools(128), 'refuses', 'zed-industries/zed/issues/32946'),
      rule(
        name(MAX_TOOL_NAME_LENGTH),
        'refuses',
        'https://community.openai.com/t/clarifying-tool-name-rules-for-mcp-and-openai-apis/1365988',
      ),
      rule(PLAIN, 'refuses', 'openai/codex/issues/8174'),
      rule(description(1024), 'refuses', 'modelcontextprotocol/servers/issues/799'),
      rule(KEYWORDS_AT_ROOT, 'refuses', 'langchain-ai/langchainjs/issues/9804'),
      rule(ITEMS_MISSING, 'refuses', 'ruvnet/ruflo/issues/1294'),
    ],
  },
  {
    host: 'VS Code',
    rules: [
      rule(tools(128), 'refuses', 'microsoft/vscode/issues/254569'),
      rule(name(64), 'changes', 'microsoft/vscode/issues/243602'),
      rule(ITEMS_MISSING, 'refuses', 'agentscope-ai/ReMe/issues/84'),
    ],
  },
  {
    host: 'Windsurf',
    rules: [rule(tools(100), 'changes', 'https://docs.devin.ai/desktop/cascade/mcp')],
  },
  {
    host: 'Zed',
    rules: [rule(name(64), 'changes', 'zed-industries/zed/blob/main/crates/agent/src/thread.rs')],
  },
]

/** The known limits, by host. */
export const HOST_PROFILES: readonly HostProfile[] = [...REPORTED, ...MEASURED_HOSTS.map(profileOf)].sort((a, b) =>
  a.host.toLowerCase() < b.host.toLowerCase() ? -1 : 1,
)
