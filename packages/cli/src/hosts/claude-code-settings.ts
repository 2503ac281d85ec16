import { readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { currentSystem, type HostSystem } from './hosts.ts'

/** The servers and tools of a file that are switched off outside of it: options of `readConfig`. */
export interface SwitchedOff {
  readonly disabledServers: readonly string[]
  /** As `server__tool`, where `*` stands for any characters. */
  readonly disabledTools: readonly string[]
}

/**
 * Returns what Claude Code does not offer of a file although it is in it: the servers of `.mcp.json` that the user has refused, those that an
 * administrator denies, and the tools that `permissions` denies. Nothing for other files.
 */
export function offInClaudeCode(file: string, system: HostSystem = currentSystem()): SwitchedOff {
  const path = resolve(file)
  const name = basename(path)
  if (name !== '.mcp.json' && name !== '.claude.json') return { disabledServers: [], disabledTools: [] }
  const settings = settingsOf(dirname(path), system)
  const servers = settings.flatMap((one) => [...(name === '.mcp.json' ? refusedIn(one) : []), ...deniedIn(one)])
  return { disabledServers: [...new Set(servers)], disabledTools: [...new Set(settings.flatMap(deniedToolsIn))] }
}

type Settings = { readonly [key: string]: unknown }

/** Reads the settings for a project: of the administrator, of the user, of the project, and what the user decided about the project. */
function settingsOf(project: string, { platform, env, home }: HostSystem): Settings[] {
  const directory = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  const state = readSettings(env.CLAUDE_CONFIG_DIR ? join(env.CLAUDE_CONFIG_DIR, '.claude.json') : join(home, '.claude.json'))
  const { [project]: decided } = isSettings(state.projects) ? state.projects : {}
  const files = [
    join(MANAGED[platform] ?? '/etc/claude-code', 'managed-settings.json'),
    join(directory, 'settings.json'),
    join(project, '.claude', 'settings.json'),
    join(project, '.claude', 'settings.local.json'),
  ]
  return [...files.map(readSettings), ...(isSettings(decided) ? [decided] : [])]
}

/** Where administrators keep settings, by platform. Default: the directory on Linux. */
const MANAGED: { readonly [platform: string]: string } = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: 'C:\\Program Files\\ClaudeCode',
}

/** Servers that are approved or not decided yet are left on: to serve a file through a gateway is a decision. */
function refusedIn({ disabledMcpjsonServers }: Settings): string[] {
  return listOf(disabledMcpjsonServers).filter((name) => typeof name === 'string')
}

function deniedIn({ deniedMcpServers }: Settings): string[] {
  const names = listOf(deniedMcpServers).map((one) => (isSettings(one) ? one.serverName : undefined))
  return names.filter((name) => typeof name === 'string')
}

/** Reads rules such as `mcp__github__delete_file`, `mcp__github__*`, and `mcp__github` for all tools of a server. */
function deniedToolsIn({ permissions }: Settings): string[] {
  const rules = listOf(isSettings(permissions) ? permissions.deny : undefined)
  const names = rules.flatMap((rule) => (typeof rule === 'string' ? (/^mcp__([^()]+)/.exec(rule)?.[1] ?? []) : []))
  return names.map((name) => (name.includes('__') ? name : `${name}__*`))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns no settings for a file that does not exist, or that Claude Code cannot read either. */
function readSettings(path: string): Settings {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isSettings(value) ? value : {}
  } catch {
    return {}
  }
}

function isSettings(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
