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

export function createApprovals(label: string, store: KeyValueStore | undefined): Approvals {
  const memory = new Map<string, string>()
  const keyOf = ({ uri }: SkillEntry, permission: string): string => `${SKILLS_ID}/${JSON.stringify([label, uri, permission])}`
  const get = async (key: string): Promise<string | undefined> => (store ? store.get(key) : memory.get(key))

  return {
    async approve(entry, permission) {
      const digest = await digestOfFiles(entry)
      if (digest === undefined)
        throw new SkillError(`The skill ${entry.uri} cannot be approved: it is dynamic, so its files may change at any time`)
      if (store) await store.set(keyOf(entry, permission), digest)
      else memory.set(keyOf(entry, permission), digest)
    },
    async has(entry, permission) {
      const approved = await get(keyOf(entry, permission))
      if (approved === undefined) return false
      const isUnchanged = approved === (await digestOfFiles(entry))
      if (!isUnchanged) await this.revoke(entry, permission)
      return isUnchanged
    },
    async revoke(entry, permission) {
      if (store) await store.delete(keyOf(entry, permission))
      else memory.delete(keyOf(entry, permission))
    },
  }
}

async function digestOfFiles({ resources }: SkillEntry): Promise<string | undefined> {
  if (resources === 'dynamic') return undefined
  const files = resources.map(({ uri, digest, size }) => JSON.stringify([uri, digest, size])).sort()
  return digestOf(new TextEncoder().encode(files.join('\n')))
}
