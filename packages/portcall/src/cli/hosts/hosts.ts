/** The programs that a server can be installed in: where each keeps its servers, and how it writes them. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A server as it is installed. */
export type Installed =
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd?: string | undefined
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export interface Host {
  readonly title: string
  /** The file of a user. */
  readonly file: () => string
  /** The file of a project, from its folder; absent where there is none. */
  readonly project?: string
  readonly format: 'json' | 'toml'
  /** The member that holds the servers. */
  readonly key: string
  /** The entry of a server; undefined for what the program cannot use. */
  readonly entry: (server: Installed) => object | undefined
}

type Program = Extract<Installed, { command: string }>
type Remote = Extract<Installed, { url: string }>

/** Where programs keep the settings of a user. */
function settings(name: string): string {
  const { APPDATA, XDG_CONFIG_HOME } = process.env
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', name)
  if (process.platform === 'win32') return join(APPDATA ?? join(homedir(), 'AppData', 'Roaming'), name)
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), name)
}

const filled = <T extends object>(name: string, value: T): object => (Object.keys(value).length > 0 ? { [name]: value } : {})

/** `command`, `args` and what is not empty of the rest. */
function plainProgram({ command, args, env, cwd }: Program): object {
  return { command, args, ...filled('env', env), ...(cwd !== undefined && { cwd }) }
}

/** Entries that are told apart by a `type`, or by nothing. */
function entries(fields: {
  readonly type?: boolean
  /** How the address is called; without it there are no remote servers. */
  readonly url?: string
  readonly headers?: string
}): Host['entry'] {
  const { type = false, url, headers = 'headers' } = fields
  const remote = (server: Remote): object | undefined =>
    url === undefined ? undefined : { ...(type && { type: 'http' }), [url]: server.url, ...filled(headers, server.headers) }
  return (server) => ('url' in server ? remote(server) : { ...(type && { type: 'stdio' }), ...plainProgram(server) })
}

export const HOSTS: { readonly [name: string]: Host } = {
  'claude-desktop': {
    title: 'Claude Desktop',
    file: () => join(settings('Claude'), 'claude_desktop_config.json'),
    format: 'json',
    key: 'mcpServers',
    entry: entries({}),
  },
  'claude-code': {
    title: 'Claude Code',
    file: () => join(homedir(), '.claude.json'),
    project: '.mcp.json',
    format: 'json',
    key: 'mcpServers',
    entry: entries({ type: true, url: 'url' }),
  },
  cursor: {
    title: 'Cursor',
    file: () => join(homedir(), '.cursor', 'mcp.json'),
    project: '.cursor/mcp.json',
    format: 'json',
    key: 'mcpServers',
    entry: entries({ url: 'url' }),
  },
  vscode: {
    title: 'VS Code',
    file: () => join(settings('Code'), 'User', 'mcp.json'),
    project: '.vscode/mcp.json',
    format: 'json',
    key: 'servers',
    entry: entries({ type: true, url: 'url' }),
  },
  windsurf: {
    title: 'Windsurf',
    file: () => join(homedir(), '.codeium', 'windsurf', 'mcp_config.json'),
    format: 'json',
    key: 'mcpServers',
    entry: entries({ url: 'serverUrl' }),
  },
  zed: {
    title: 'Zed',
    file: () =>
      process.platform === 'win32' ? join(settings('Zed'), 'settings.json') : join(homedir(), '.config', 'zed', 'settings.json'),
    project: '.zed/settings.json',
    format: 'json',
    key: 'context_servers',
    entry: entries({ url: 'url' }),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    file: () => join(homedir(), '.gemini', 'settings.json'),
    project: '.gemini/settings.json',
    format: 'json',
    key: 'mcpServers',
    entry: entries({ url: 'httpUrl' }),
  },
  codex: {
    title: 'Codex',
    file: () => join(process.env.CODEX_HOME ?? join(homedir(), '.codex'), 'config.toml'),
    project: '.codex/config.toml',
    format: 'toml',
    key: 'mcp_servers',
    entry: entries({ url: 'url', headers: 'http_headers' }),
  },
}
