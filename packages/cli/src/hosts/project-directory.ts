import { dirname, posix, resolve, sep } from 'node:path'
import { currentSystem, HOSTS } from './hosts.ts'

/** The folders of a project in which hosts keep their configurations: those of `HOSTS`, and of hosts that nothing can be installed in. */
const FOLDERS: readonly string[] = [
  ...Object.values(HOSTS).flatMap(({ project }) => (project?.includes('/') ? [posix.dirname(project)] : [])),
  '.amazonq',
  '.augment',
  '.claude',
  '.continue',
  '.continue/mcpServers',
  '.factory',
  '.idea',
  '.junie/mcp',
  '.kiro/settings',
  '.opencode',
  '.qwen',
  '.roo',
  '.trae',
  '.vs',
  '.windsurf',
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
