import type { Resource } from '../index.ts'
import { MANIFEST, type SkillEntry } from './entry.ts'
import type { Found, FoundFile } from './folder.ts'

/** All skills that a server serves, out of any number of folders. */
export interface Catalog {
  readonly entries: readonly SkillEntry[]
  get(uri: string): SkillEntry | undefined
  /** What lies in a directory of a skill; nothing when it is none. */
  children(directory: string): readonly Resource[] | undefined
}

/** What a directory is called where files have a media type. */
const DIRECTORY = 'inode/directory'

/** Makes the catalog of what folders hold now. */
export function createCatalog(folders: readonly Found[]): Catalog {
  const entries = folders.flatMap(({ skills }) => skills).sort(byUri)
  const known = new Map(entries.map((entry) => [entry.uri, entry]))
  const files = folders.flatMap((found) => [...found.files.values()])
  let directories: ReadonlyMap<string, ReadonlyMap<string, Resource>> | undefined
  return {
    entries,
    get: (uri) => known.get(uri),
    children(directory) {
      directories ??= listDirectories(entries, files)
      const children = directories.get(directory)
      return children && [...children.values()].sort(byUri)
    },
  }
}

/** Each directory that is a skill or lies in one, with what is directly in it. */
function listDirectories(entries: readonly SkillEntry[], files: readonly FoundFile[]): Map<string, Map<string, Resource>> {
  const directories = new Map<string, Map<string, Resource>>()
  const skills = new Set(entries.map(({ uri }) => parentOf(uri)))
  const put = (child: Resource): void => {
    const directory = parentOf(child.uri)
    if (!isInSkill(directory, skills)) return
    directories.set(directory, (directories.get(directory) ?? new Map<string, Resource>()).set(child.uri, child))
    put({ uri: directory, name: nameOf(directory), mimeType: DIRECTORY })
  }
  for (const { uri, mimeType, size } of files) put({ uri, name: nameOf(uri), mimeType, size })
  return directories
}

function isInSkill(directory: string, skills: ReadonlySet<string>): boolean {
  for (let at = directory; at.includes('/'); at = parentOf(at)) if (skills.has(at)) return true
  return false
}

const byUri = (one: { uri: string }, other: { uri: string }): number => (one.uri < other.uri ? -1 : 1)
const parentOf = (uri: string): string => uri.slice(0, uri.lastIndexOf('/'))
const nameOf = (uri: string): string => decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))

/** What the list of resources says about a file: a manifest bears the name and description of its skill. */
export function describe({ uri, name, mimeType, size }: FoundFile, catalog: Catalog): Omit<Resource, 'uri'> {
  const skill = uri.endsWith(`/${MANIFEST}`) && catalog.get(uri)
  if (!skill) return { name, mimeType, size }
  return { name: skill.frontmatter.name, description: skill.frontmatter.description, mimeType, size }
}
