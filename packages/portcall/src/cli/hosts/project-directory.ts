import { dirname, resolve, sep } from 'node:path'
import { currentSystem, HOSTS } from './hosts.ts'

/** The folders of a project in which hosts keep their configurations. */
const FOLDERS: readonly string[] = [
  '.amazonq',
  '.augment',
  '.claude',
  '.codex',
  '.continue',
  '.continue/mcpServers',
  '.cursor',
  '.factory',
  '.gemini',
  '.idea',
  '.junie/mcp',
  '.kiro/settings',
  '.opencode',
  '.qwen',
  '.roo',
  '.trae',
  '.vs',
  '.vscode',
  '.windsurf',
  '.zed',
]

/**
 * Returns the directory where relative paths in a configuration start, as an absolute path: the project of a file that a host keeps in a folder of
 * the project, the working directory for the file that a host keeps for its user, and the directory of any other file.
 */
export function projectDirectory(file: string): string {
  const path = resolve(file)
  const system = currentSystem()
  if (Object.values(HOSTS).some((host) => host.file(system) === path)) return process.cwd()
  const directory = dirname(path)
  const folder = FOLDERS.map((name) => sep + name.replaceAll('/', sep)).find((name) => directory.endsWith(name))
  return folder === undefined ? directory : directory.slice(0, -folder.length) || sep
}
