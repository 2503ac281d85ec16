/** What a registry keeps about one item. */
export interface Entry<D> {
  readonly definition: D
  enabled: boolean
  /** Where it stands among all that were ever registered. */
  order: number
}

/** The items of one kind that a server offers, by name. What is disabled is not offered, but not forgotten. */
export interface Registry<D, E extends Entry<D>> {
  /** Registers an item. @throws Error when the name is taken. */
  add(name: string, entry: E): void
  /** The item when it is offered. */
  get(name: string): E | undefined
  /** All that is offered, in the order of registration. The array is kept until something changes. */
  offered(): readonly E[]
  /** Tells whether anything was ever registered, offered now or not. */
  readonly used: boolean
  readonly items: Items<D>
}

/** Changes at run time; each tick that changes something makes one list-changed notification. */
export interface Items<D> {
  has(name: string): boolean
  names(): string[]
  /** Replaces parts of a definition. @throws Error for an unknown name. */
  update(name: string, patch: Partial<D>): void
  /** Forgets an item. Tells whether it was there. */
  remove(name: string): boolean
  enable(name: string): void
  disable(name: string): void
}

/**
 * Makes a registry.
 *
 * @param rebuild makes the entry of a changed definition.
 * @param onChange is called once a tick, after the changes of that tick.
 */
export function createRegistry<D, E extends Entry<D>>(
  rebuild: (entry: E, definition: D) => E,
  onChange: () => void,
): Registry<D, E> {
  const entries = new Map<string, E>()
  let offered: readonly E[] | undefined
  let registered = 0
  let announced = false

  const changed = (): void => {
    offered = undefined
    if (announced) return
    announced = true
    queueMicrotask(() => {
      announced = false
      onChange()
    })
  }
  const known = (name: string): E => {
    const entry = entries.get(name)
    if (!entry) throw new Error(`Nothing is registered as ${JSON.stringify(name)}`)
    return entry
  }
  const turn = (name: string, enabled: boolean): void => {
    const entry = known(name)
    if (entry.enabled === enabled) return
    entry.enabled = enabled
    changed()
  }

  return {
    add(name, entry) {
      if (entries.has(name)) throw new Error(`${JSON.stringify(name)} is registered already`)
      entry.order = ++registered
      entries.set(name, entry)
      changed()
    },
    get(name) {
      const entry = entries.get(name)
      return entry?.enabled ? entry : undefined
    },
    offered: () => (offered ??= [...entries.values()].filter((entry) => entry.enabled)),
    get used() {
      return registered > 0
    },
    items: {
      has: (name) => entries.has(name),
      names: () => [...entries.keys()],
      update(name, patch) {
        const entry = known(name)
        const next = rebuild(entry, { ...entry.definition, ...patch })
        next.enabled = entry.enabled
        next.order = entry.order
        entries.set(name, next)
        changed()
      },
      remove(name) {
        const removed = entries.delete(name)
        if (removed) changed()
        return removed
      },
      enable: (name) => turn(name, true),
      disable: (name) => turn(name, false),
    },
  }
}
