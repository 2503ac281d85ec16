/** The MCP hosts that servers can be installed in: the location and the format of their configurations. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A server to install. */
export type InstallableServer =
  | {
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd?: string | undefined
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export interface Host {
  readonly title: string
  /** Returns the path of the user's configuration. */
  readonly file: (system: HostSystem) => string
  /** Path of a project's configuration, relative to its directory; absent if the host has none. */
  readonly project?: string
  readonly format: 'json' | 'toml'
  /** The member that holds the servers. */
  readonly key: string
  /** Returns the entry of a server; `undefined` if the host does not support this kind of server. */
  readonly entry: (server: InstallableServer) => object | undefined
}

type StdioServer = Extract<InstallableServer, { command: string }>
type RemoteServer = Extract<InstallableServer, { url: string }>

/** The parts of a system that the paths of configurations depend on. */
export interface HostSystem {
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
  readonly home: string
}

/** Describes this machine and its user. */
export const currentSystem = (): HostSystem => ({ platform: process.platform, env: process.env, home: homedir() })

/** Returns the directory with the user's settings of an application. */
function settingsDir(name: string, { platform, env, home }: HostSystem): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', name)
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), name)
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), name)
}

const unlessEmpty = (name: string, value: object): object => (Object.keys(value).length > 0 ? { [name]: value } : {})

/** Returns `command` and `args`, plus `env` and `cwd` if they are set. */
function stdioEntry({ command, args, env, cwd }: StdioServer): object {
  return { command, args, ...unlessEmpty('env', env), ...(cwd !== undefined && { cwd }) }
}

/** Creates the `entry` function of a host. */
function createEntry(fields: {
  /** True if entries have a `type`. */
  readonly type?: boolean
  /** Name of the member with the URL; absent if the host supports only programs. */
  readonly url?: string
  /** Name of the member with the headers. */
  readonly headers?: string
}): Host['entry'] {
  const { type = false, url, headers = 'headers' } = fields
  const remoteEntry = (server: RemoteServer): object | undefined =>
    url === undefined ? undefined : { ...(type && { type: 'http' }), [url]: server.url, ...unlessEmpty(headers, server.headers) }
  return (server) => ('url' in server ? remoteEntry(server) : { ...(type && { type: 'stdio' }), ...stdioEntry(server) })
}

export const HOSTS: { readonly [name: string]: Host } = {
  'claude-desktop': {
    title: 'Claude Desktop',
    file: (system) => join(settingsDir('Claude', system), 'claude_desktop_config.json'),
    format: 'json',
    key: 'mcpServers',
    entry: createEntry({}),
  },
  'claude-code': {
    title: 'Claude Code',
    file: ({ home }) => join(home, '.claude.json'),
    project: '.mcp.json',
    format: 'json',
    key: 'mcpServers',
    entry: createEntry({ type: true, url: 'url' }),
  },
  cursor: {
    title: 'Cursor',
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    project: '.cursor/mcp.json',
    format: 'json',
    key: 'mcpServers',
    entry: createEntry({ url: 'url' }),
  },
  vscode: {
    title: 'VS Code',
    file: (system) => join(settingsDir('Code', system), 'User', 'mcp.json'),
    project: '.vscode/mcp.json',
    format: 'json',
    key: 'servers',
    entry: createEntry({ type: true, url: 'url' }),
  },
  windsurf: {
    title: 'Windsurf',
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    format: 'json',
    key: 'mcpServers',
    entry: createEntry({ url: 'serverUrl' }),
  },
  zed: {
    title: 'Zed',
    file: (system) =>
      system.platform === 'win32'
        ? join(settingsDir('Zed', system), 'settings.json')
        : join(system.home, '.config', 'zed', 'settings.json'),
    project: '.zed/settings.json',
    format: 'json',
    key: 'context_servers',
    entry: createEntry({ url: 'url' }),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    file: ({ home }) => join(home, '.gemini', 'settings.json'),
    project: '.gemini/settings.json',
    format: 'json',
    key: 'mcpServers',
    entry: createEntry({ url: 'httpUrl' }),
  },
  codex: {
    title: 'Codex',
    file: ({ env, home }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    project: '.codex/config.toml',
    format: 'toml',
    key: 'mcp_servers',
    entry: createEntry({ url: 'url', headers: 'http_headers' }),
  },
}
