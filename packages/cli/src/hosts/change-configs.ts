import { usageError } from '../cli-error.ts'
import type { Choices, FlagOf } from '../command.ts'
import type { Io } from '../io.ts'
import type { ConfigEditor, EntryLocation } from './editor.ts'
import { currentSystem, HOSTS, type Host } from './hosts.ts'
import { FileChangedError, readTextFile, replaceFile, withLockedFiles } from './replace-file.ts'

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

type Change = (config: OpenConfig) => Promise<string>

const MAX_ATTEMPTS = 5

/**
 * Changes the configurations of the hosts: all of them, or none if one cannot be changed. Commands that run at the same time take turns. A file
 * that its host has changed meanwhile is read again.
 */
export async function changeConfigs(values: ChangeValues, name: string, change: Change): Promise<ConfigChange[]> {
  const hostNames = readHostNames(values.to)
  const plan = async (): Promise<PlannedChange[]> =>
    Promise.all(hostNames.map((host) => planChange(host, { values, name, change })))
  if (values['dry-run']) return (await plan()).map((planned) => describeChange(planned))
  const files = (await plan()).map(({ config }) => config.file)
  return withLockedFiles(files, async () => {
    for (let attempt = 1; ; attempt++)
      try {
        return await writeChanges(await plan())
      } catch (error) {
        if (!(error instanceof FileChangedError) || attempt === MAX_ATTEMPTS) throw error
      }
  })
}

interface PlannedChange {
  readonly host: string
  readonly config: OpenConfig
  readonly newText: string
}

async function planChange(
  host: string,
  { values, name, change }: { readonly values: ChangeValues; readonly name: string; readonly change: Change },
): Promise<PlannedChange> {
  const config = await openConfig(host, name, values.project)
  return { host, config, newText: await change(config) }
}

/** Writes all files. If one cannot be written, those before it get their old text back. */
async function writeChanges(plans: readonly PlannedChange[]): Promise<ConfigChange[]> {
  const written: PlannedChange[] = []
  const changes: ConfigChange[] = []
  try {
    for (const planned of plans) {
      const { config, newText } = planned
      const backup = newText === config.text ? undefined : await replaceFile(config.file, newText, config.text)
      if (newText !== config.text) written.push(planned)
      changes.push(describeChange(planned, backup))
    }
  } catch (error) {
    for (const { config, newText } of written) await replaceFile(config.file, config.text, newText).catch(() => {})
    throw error
  }
  return changes
}

function describeChange({ host, config: { file, text }, newText }: PlannedChange, backup?: string): ConfigChange {
  const changed = newText !== text
  return { host, file, changed, lines: changed ? diffLines(text, newText) : [], ...(backup && { backup }) }
}

export interface PrintOptions {
  readonly isDryRun: boolean
  /** The text about a file that was not changed; its path follows; its path follows. */
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
