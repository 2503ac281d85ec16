import type { BaseDefinition } from '../definitions.ts'

/** A tool, resource, template or prompt in a registry. */
export interface RegistryEntry<D extends BaseDefinition = BaseDefinition, L extends object = object> {
  readonly definition: D
  /** The item as lists show it. */
  readonly listing: L
  /** True if the definition can deny access, so that a call has to check it. */
  readonly isRestricted: boolean
  enabled: boolean
  /** Position in the order of registration. */
  order: number
}

/** The members that a JSON object may have, before the undefined ones are omitted. */
type WithUndefined<T> = { readonly [K in keyof T]: T[K] | undefined }

/** Creates the members that entries of all kinds have in common. Undefined members of the listing are omitted. */
export function createEntry<D extends BaseDefinition, L extends object>(
  definition: D,
  listing: WithUndefined<L>,
): RegistryEntry<D, L> {
  const isRestricted = definition.visible !== undefined || definition.scopes !== undefined
  return { definition, listing: omitUndefined(listing), isRestricted, enabled: true, order: 0 }
}

/** Returns a copy without the members that are undefined. */
export function omitUndefined<T extends object>(object: WithUndefined<T>): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
}

/** The items of one kind by name. Disabled items stay registered, but callers do not see them. */
export interface Registry<D extends BaseDefinition, E extends RegistryEntry<D>> {
  /** @throws Error when the name is taken. */
  assertFree(name: string): void
  /** Registers an item. @throws Error when the name is taken. */
  add(name: string, entry: E): void
  /** Returns an enabled item. */
  get(name: string): E | undefined
  /** Returns the definition of an item, enabled or not. */
  definitionOf(name: string): D | undefined
  /** Returns the enabled items in the order of registration. The array is the same until something changes. */
  entries(): readonly E[]
  /** True if anything was ever registered, even if it is removed or disabled now. */
  readonly isUsed: boolean
  readonly items: ItemCollection<D>
}

/** The registered items of one kind. Changes within one tick are announced by a single list-changed notification. */
export interface ItemCollection<D> {
  /** Reports whether an item is registered, enabled or not. */
  has(name: string): boolean
  /** Returns the names of all registered items, enabled or not. */
  names(): string[]
  /** Replaces members of a definition. @throws Error when the name is unknown. */
  update(name: string, patch: Partial<D>): void
  /** Removes an item. Returns whether it was registered. */
  remove(name: string): boolean
  /** Shows an item to callers again. @throws Error when the name is unknown. */
  enable(name: string): void
  /** Hides an item from callers without removing it. @throws Error when the name is unknown. */
  disable(name: string): void
}

/**
 * Creates a registry.
 *
 * @param rebuild returns the entry for a changed definition.
 * @param onChange is called once per tick, after the changes of that tick.
 */
export function createRegistry<D extends BaseDefinition, E extends RegistryEntry<D>>(
  rebuild: (entry: E, definition: D) => E,
  onChange: () => void,
): Registry<D, E> {
  const all = new Map<string, E>()
  let enabledEntries: readonly E[] | undefined
  let lastOrder = 0
  let isChangePending = false

  const announceChange = (): void => {
    enabledEntries = undefined
    if (isChangePending) return
    isChangePending = true
    queueMicrotask(() => {
      isChangePending = false
      onChange()
    })
  }
  const entryOf = (name: string): E => {
    const entry = all.get(name)
    if (!entry) throw new Error(`${JSON.stringify(name)} is not registered`)
    return entry
  }
  const setEnabled = (name: string, enabled: boolean): void => {
    const entry = entryOf(name)
    if (entry.enabled === enabled) return
    entry.enabled = enabled
    announceChange()
  }

  const registry = {
    isUsed: false,
    assertFree(name: string): void {
      if (all.has(name))
        throw new Error(`${JSON.stringify(name)} is already registered. Use another name, or change it with update(name, …)`)
    },
    add(name: string, entry: E): void {
      registry.assertFree(name)
      entry.order = ++lastOrder
      all.set(name, entry)
      registry.isUsed = true
      announceChange()
    },
    get(name: string): E | undefined {
      const entry = all.get(name)
      return entry?.enabled ? entry : undefined
    },
    definitionOf: (name: string): D | undefined => all.get(name)?.definition,
    entries: (): readonly E[] => (enabledEntries ??= [...all.values()].filter((entry) => entry.enabled)),
    items: {
      has: (name: string) => all.has(name),
      names: () => [...all.keys()],
      update(name: string, patch: Partial<D>) {
        const entry = entryOf(name)
        const next = rebuild(entry, { ...entry.definition, ...patch })
        next.enabled = entry.enabled
        next.order = entry.order
        all.set(name, next)
        announceChange()
      },
      remove(name: string) {
        const removed = all.delete(name)
        if (removed) announceChange()
        return removed
      },
      enable: (name: string) => setEnabled(name, true),
      disable: (name: string) => setEnabled(name, false),
    },
  }
  return registry
}
