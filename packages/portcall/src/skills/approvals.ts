import type { KeyValueStore } from '../stores/store.ts'
import { digestOf, SKILLS_ID, type SkillEntry, SkillError } from './entry.ts'

/**
 * The permissions that a user has granted to skills, such as running scripts or using `allowed-tools`. The application defines their names.
 * An approval is valid for exactly the files that the skill had when it was granted, and not for nested skills.
 */
export interface Approvals {
  /**
   * Grants a permission to the current files of a skill.
   *
   * @throws SkillError for a dynamic skill, whose files may change at any time.
   */
  approve(entry: SkillEntry, permission: string): Promise<void>
  /** Returns whether the permission was granted and the skill's files have not changed since. */
  has(entry: SkillEntry, permission: string): Promise<boolean>
  /** Withdraws a permission. Does nothing if it was not granted. */
  revoke(entry: SkillEntry, permission: string): Promise<void>
}

/** The permissions, and what the client knows of the current files. */
export interface StoredApprovals extends Approvals {
  /** Notes the current entry of a skill. If its files are others than those approved, all its approvals are void. */
  observe(entry: SkillEntry): Promise<void>
}

export function createApprovals(label: string, store: KeyValueStore | undefined): StoredApprovals {
  const memory = new Map<string, string>()
  const keyOf = ({ uri }: SkillEntry, ...permission: [string?]): string =>
    `${SKILLS_ID}/${JSON.stringify([label, uri, ...permission])}`
  const get = async (key: string): Promise<string | undefined> => (store ? store.get(key) : memory.get(key))
  const set = async (key: string, value: string): Promise<void> => {
    if (store) await store.set(key, value)
    else memory.set(key, value)
  }

  return {
    async approve(entry, permission) {
      const digest = await digestOfFiles(entry)
      if (digest === undefined)
        throw new SkillError(`The skill ${entry.uri} cannot be approved: it is dynamic, so its files may change at any time`)
      await set(keyOf(entry, permission), digest)
      // The files that the server has now, for all permissions of the skill.
      await set(keyOf(entry), digest)
    },
    async has(entry, permission) {
      const approved = await get(keyOf(entry, permission))
      if (approved === undefined) return false
      const current = (await get(keyOf(entry))) ?? approved
      const isUnchanged = approved === (await digestOfFiles(entry)) && approved === current
      if (!isUnchanged) await this.revoke(entry, permission)
      return isUnchanged
    },
    async revoke(entry, permission) {
      if (store) await store.delete(keyOf(entry, permission))
      else memory.delete(keyOf(entry, permission))
    },
    async observe(entry) {
      const known = await get(keyOf(entry))
      if (known === undefined) return
      const digest = (await digestOfFiles(entry)) ?? 'dynamic'
      if (digest !== known) await set(keyOf(entry), digest)
    },
  }
}

async function digestOfFiles({ resources }: SkillEntry): Promise<string | undefined> {
  if (resources === 'dynamic') return undefined
  const files = resources.map(({ uri, digest, size }) => JSON.stringify([uri, digest, size])).sort()
  return digestOf(new TextEncoder().encode(files.join('\n')))
}
