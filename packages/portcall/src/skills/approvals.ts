import type { Store } from '../stores.ts'
import { digestOf, SKILLS, type SkillEntry, SkillError } from './entry.ts'

/**
 * What a user has agreed to for one skill: that its scripts may run, its `allowed-tools` count, or whatever a host asks for. It holds for
 * exactly the files that the skill had then, and for no nested skill.
 */
export interface Approvals {
  /** @throws SkillError for a dynamic skill: nobody can say what was agreed to. */
  approve(entry: SkillEntry, what: string): Promise<void>
  /** Tells whether it was approved, and nothing has changed since. */
  has(entry: SkillEntry, what: string): Promise<boolean>
  revoke(entry: SkillEntry, what: string): Promise<void>
}

export function createApprovals(label: string, store: Store | undefined): Approvals {
  const memory = new Map<string, string>()
  const keyOf = ({ uri }: SkillEntry, what: string): string => `${SKILLS}/${JSON.stringify([label, uri, what])}`
  const get = async (key: string): Promise<string | undefined> => (store ? store.get(key) : memory.get(key))

  return {
    async approve(entry, what) {
      const files = await digestOfFiles(entry)
      if (files === undefined)
        throw new SkillError(`What the skill ${entry.uri} has may change at any time: no approval of it can be kept`)
      if (store) await store.set(keyOf(entry, what), files)
      else memory.set(keyOf(entry, what), files)
    },
    async has(entry, what) {
      const key = keyOf(entry, what)
      const approved = await get(key)
      if (approved === undefined) return false
      const same = approved === (await digestOfFiles(entry))
      if (!same) await this.revoke(entry, what)
      return same
    },
    async revoke(entry, what) {
      if (store) await store.delete(keyOf(entry, what))
      else memory.delete(keyOf(entry, what))
    },
  }
}

async function digestOfFiles({ resources }: SkillEntry): Promise<string | undefined> {
  if (resources === 'dynamic') return undefined
  const files = resources.map(({ uri, digest, size }) => JSON.stringify([uri, digest, size])).sort()
  return digestOf(new TextEncoder().encode(files.join('\n')))
}
