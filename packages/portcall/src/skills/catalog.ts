import type { Resource } from '../protocol/types.ts'
import { MANIFEST, type SkillEntry } from './entry.ts'
import type { ScannedFile, ScannedFolder } from './folder.ts'

/** The skills that a server serves from all of its folders. */
export interface Catalog {
  readonly entries: readonly SkillEntry[]
  get(uri: string): SkillEntry | undefined
  /** Returns the files and directories directly in a directory of a skill, or `undefined` for any other URI. */
  children(directory: string): readonly Resource[] | undefined
}

/** The media type of directories. */
const DIRECTORY = 'inode/directory'

export function createCatalog(folders: readonly ScannedFolder[]): Catalog {
  const entries = folders.flatMap(({ skills }) => skills).sort(byUri)
  const entriesByUri = new Map(entries.map((entry) => [entry.uri, entry]))
  const files = folders.flatMap((folder) => [...folder.files.values()])
  let directories: ReadonlyMap<string, ReadonlyMap<string, Resource>> | undefined
  return {
    entries,
    get: (uri) => entriesByUri.get(uri),
    children(directory) {
      directories ??= listDirectories(entries, files)
      const children = directories.get(directory)
      return children && [...children.values()].sort(byUri)
    },
  }
}

/** Returns the children of each directory of a skill, by URI. */
function listDirectories(entries: readonly SkillEntry[], files: readonly ScannedFile[]): Map<string, Map<string, Resource>> {
  const directories = new Map<string, Map<string, Resource>>()
  const skills = new Set(entries.map(({ uri }) => parentOf(uri)))
  const add = (child: Resource): void => {
    const directory = parentOf(child.uri)
    if (!isInSkill(directory, skills)) return
    directories.set(directory, (directories.get(directory) ?? new Map<string, Resource>()).set(child.uri, child))
    add({ uri: directory, name: nameOf(directory), mimeType: DIRECTORY })
  }
  for (const { uri, mimeType, size } of files) add({ uri, name: nameOf(uri), mimeType, size })
  return directories
}

function isInSkill(directory: string, skills: ReadonlySet<string>): boolean {
  for (let ancestor = directory; ancestor.includes('/'); ancestor = parentOf(ancestor)) if (skills.has(ancestor)) return true
  return false
}

const byUri = (one: { uri: string }, other: { uri: string }): number => (one.uri < other.uri ? -1 : 1)
const parentOf = (uri: string): string => uri.slice(0, uri.lastIndexOf('/'))
const nameOf = (uri: string): string => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))

/** Returns the definition of a file's resource. A manifest has the name and the description of its skill. */
export function describeFile({ uri, name, mimeType, size }: ScannedFile, catalog: Catalog): Omit<Resource, 'uri'> {
  const skill = uri.endsWith(`/${MANIFEST}`) && catalog.get(uri)
  if (!skill) return { name, mimeType, size }
  return { name: skill.frontmatter.name, description: skill.frontmatter.description, mimeType, size }
}
