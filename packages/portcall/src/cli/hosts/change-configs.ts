import { usageError } from '../cli-error.ts'
import type { Choices, FlagOf } from '../command.ts'
import type { Io } from '../io.ts'
import type { ConfigEditor, EntryLocation } from './editor.ts'
import { currentSystem, HOSTS, type Host } from './hosts.ts'
import { readTextFile, replaceFile } from './replace-file.ts'

/** The values of `CHANGE_FLAGS`. */
export interface ChangeValues {
  readonly to: readonly string[]
  readonly project: boolean
  readonly 'dry-run': boolean
}

/** Options of the commands that change configurations. */
export const CHANGE_FLAGS: { readonly [name in keyof ChangeValues]: FlagOf<ChangeValues[name]> } = {
  to: { type: 'string', multiple: true, value: 'HOST', description: 'The host to configure; repeatable' },
  project: { type: 'boolean', description: "Change the project's configuration in this directory, not the user's" },
  'dry-run': { type: 'boolean', description: 'Show the changes without making them' },
}

/** The hosts, for the help. */
export const HOST_CHOICES: Choices = {
  title: 'Hosts',
  values: Object.fromEntries(Object.entries(HOSTS).map(([name, { title }]) => [name, title])),
}

/** The outcome for one configuration. */
export interface ConfigChange {
  readonly host: string
  readonly file: string
  readonly changed: boolean
  readonly backup?: string | undefined
  /** The difference, line by line. */
  readonly lines: readonly string[]
}

/** A configuration that has been read and is about to be changed. */
export interface OpenConfig {
  readonly host: Host
  readonly location: EntryLocation
  readonly file: string
  readonly text: string
  readonly editor: ConfigEditor
}

/** Changes the configurations of the hosts: all of them, or none if one cannot be changed. */
export async function changeConfigs(
  { to, project, 'dry-run': isDryRun }: ChangeValues,
  name: string,
  change: (config: OpenConfig) => Promise<string>,
): Promise<ConfigChange[]> {
  const plans = await Promise.all(
    readHostNames(to).map(async (hostName) => {
      const config = await openConfig(hostName, name, project)
      return { hostName, config, newText: await change(config) }
    }),
  )
  const changes: ConfigChange[] = []
  for (const { hostName, config, newText } of plans) {
    const { file, text } = config
    const changed = newText !== text
    const backup = changed && !isDryRun ? await replaceFile(file, newText) : undefined
    const lines = changed ? diffLines(text, newText) : []
    changes.push({ host: hostName, file, changed, lines, ...(backup && { backup }) })
  }
  return changes
}

export interface PrintOptions {
  readonly isDryRun: boolean
  /** What to say of a file that was not changed; its path follows. */
  readonly unchanged: string
}

/** Prints what was changed or, for a dry run, what would be. */
export function printChanges(changes: readonly ConfigChange[], { isDryRun, unchanged }: PrintOptions, io: Io): void {
  if (io.json) return io.value(changes.map(({ lines: _lines, ...change }) => change))
  for (const { host, file, changed, backup, lines } of changes) {
    const title = HOSTS[host]?.title ?? host
    const action = changed ? (isDryRun ? 'would change' : 'changed') : unchanged
    io.log(`${title}: ${action} ${file}${backup ? `, backup in ${backup}` : ''}`)
    if (isDryRun) for (const line of lines) io.data(line)
  }
}

function readHostNames(to: readonly string[]): readonly string[] {
  const names = Object.keys(HOSTS)
  if (to.length === 0) throw usageError('--to HOST is missing', `available: ${names.join(', ')}`)
  const unknown = to.find((name) => !names.includes(name))
  if (unknown !== undefined) throw usageError(`unknown host: ${unknown}`, `available: ${names.join(', ')}`)
  return [...new Set(to)]
}

async function openConfig(hostName: string, name: string, isProject: boolean): Promise<OpenConfig> {
  const host = HOSTS[hostName] as Host
  if (isProject && host.project === undefined) throw usageError(`${host.title} has no project configuration`)
  const file = isProject ? (host.project ?? '') : host.file(currentSystem())
  const text = await readTextFile(file)
  const editor = await loadEditor(host.format)
  const location = { key: host.key, name }
  await editor.read(text, location).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : error
    throw usageError(`cannot parse ${file}, so it was not changed: ${reason}`)
  })
  return { host, location, file, text, editor }
}

async function loadEditor(format: 'json' | 'toml'): Promise<ConfigEditor> {
  return format === 'json' ? (await import('./edit-json.ts')).jsonEditor : (await import('./edit-toml.ts')).tomlEditor
}

/** Returns the lines that differ, marked with `-` and `+`. Equal lines at the start and the end are left out. */
function diffLines(oldText: string, newText: string): string[] {
  const [oldLines, newLines] = [oldText.split(/\r?\n/), newText.split(/\r?\n/)]
  const shorter = Math.min(oldLines.length, newLines.length)
  let head = 0
  while (head < shorter && oldLines[head] === newLines[head]) head += 1
  let tail = 0
  while (tail < shorter - head && oldLines.at(-1 - tail) === newLines.at(-1 - tail)) tail += 1
  return [
    ...oldLines.slice(head, oldLines.length - tail).map((line) => `- ${line}`),
    ...newLines.slice(head, newLines.length - tail).map((line) => `+ ${line}`),
  ]
}
