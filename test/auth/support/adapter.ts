import type { Adapter, AdapterConstructor, AdapterPayload } from 'oidc-provider'

/** The storage of a provider. A new provider instance with other keys can continue with it. */
export interface ProviderMemory {
  readonly Adapter: AdapterConstructor
  /** Deletes all entries of some kinds. */
  forget(...kinds: string[]): void
}

/** Creates the storage of a provider. */
export function createProviderMemory(): ProviderMemory {
  const entries = new Map<string, AdapterPayload>()
  const findBy = (member: string, value: string): AdapterPayload | undefined =>
    [...entries.values()].find((entry) => entry[member] === value)

  class Kind implements Adapter {
    readonly #kind: string

    constructor(kind: string) {
      this.#kind = kind
    }

    async upsert(id: string, payload: AdapterPayload): Promise<void> {
      entries.set(`${this.#kind} ${id}`, payload)
    }

    async find(id: string): Promise<AdapterPayload | undefined> {
      return entries.get(`${this.#kind} ${id}`)
    }

    async findByUid(uid: string): Promise<AdapterPayload | undefined> {
      return findBy('uid', uid)
    }

    async findByUserCode(code: string): Promise<AdapterPayload | undefined> {
      return findBy('userCode', code)
    }

    async consume(id: string): Promise<void> {
      const entry = entries.get(`${this.#kind} ${id}`)
      if (entry) entry.consumed = Math.floor(Date.now() / 1000)
    }

    async destroy(id: string): Promise<void> {
      entries.delete(`${this.#kind} ${id}`)
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      for (const [key, entry] of entries) if (entry.grantId === grantId) entries.delete(key)
    }
  }
  return {
    Adapter: Kind,
    forget(...kinds) {
      for (const key of entries.keys()) if (kinds.some((kind) => key.startsWith(`${kind} `))) entries.delete(key)
    },
  }
}
