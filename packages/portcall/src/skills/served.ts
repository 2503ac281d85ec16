import type { ExtensionHost } from '../index.ts'
import type { Catalog } from './catalog.ts'
import type { SkillEntry, SkillLimits } from './entry.ts'
import type { Found } from './folder.ts'

/** How a folder is served. */
export interface SkillFolderOptions {
  /** A path that the skills are put under: `acme` makes `skill://acme/<name>/SKILL.md`. Default: none. */
  readonly under?: string
  /** Serves what changes in the folder as it changes. Default: true. */
  readonly watch?: boolean
}

/** A folder whose skills are served. */
export interface SkillFolder {
  /** The entries as they are now. */
  readonly skills: readonly SkillEntry[]
  /** Looks at the folder again. */
  refresh(): Promise<void>
  /** Serves it no longer. */
  close(): void
}

/** All folders of one server. */
export interface ServedFolders {
  readonly host: ExtensionHost
  readonly folders: Set<Served>
  readonly limits: SkillLimits
  catalog: Catalog | undefined
}

/** A folder, and what was found in it the last time. */
export interface Served extends SkillFolder {
  readonly found: Found
}
