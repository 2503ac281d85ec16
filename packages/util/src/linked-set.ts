const EMPTY: ReadonlyMap<never, never> = new Map<never, never>()
/** A map is replaced when so many entries have gone, and more than it still has. */
const MIN_REMOVED = 16

export interface LinkedSetEntry {
  /** Removes the item. Does nothing if it was removed before. */
  remove(): void
}

/**
 * A collection in insertion order, for items that are added and removed all the time.
 *
 * Adding and removing takes constant time and leaves no garbage that outlives the entry: an engine's own `Set` replaces its table as it
 * grows and shrinks, and once a replaced table has reached the old generation, all that later tables hold stays in memory until the next
 * full collection.
 */
export class LinkedSet<T> {
  readonly #head = new Link<T | undefined>(undefined)

  get isEmpty(): boolean {
    return this.#head.next === this.#head
  }

  /** Appends an item and returns its entry. An item that is added twice has two entries. */
  add(item: T): LinkedSetEntry {
    return new Link<T | undefined>(item, this.#head)
  }

  /** Removes the first item and returns it. */
  shift(): T | undefined {
    const first = this.#head.next
    first.remove()
    return first.item
  }

  /** Returns the current items. */
  items(): T[] {
    const items: T[] = []
    for (let link = this.#head.next; link !== this.#head; link = link.next) items.push(link.item as T)
    return items
  }
}

/** A link of a circular list. A removed link is a circle of its own. */
class Link<T> implements LinkedSetEntry {
  readonly item: T
  previous: Link<T>
  next: Link<T>

  /** Inserts the link before `head`, which makes it the last one. */
  constructor(item: T, head?: Link<T>) {
    this.item = item
    this.previous = head?.previous ?? this
    this.next = head ?? this
    this.previous.next = this
    this.next.previous = this
  }

  remove(): void {
    this.previous.next = this.next
    this.next.previous = this.previous
    this.previous = this
    this.next = this
  }
}

/**
 * A map for entries that are added and removed all the time, such as running calls.
 *
 * An engine's own `Map` replaces its table now and then, and a replaced table refers to the next one. Once one has reached the old generation,
 * all that later tables hold stays in memory until the next full collection. Here the whole map is replaced before that, in
 * time proportional to the entries that have gone.
 */
export class BriefMap<K, V> {
  /** Created for the first entry: many objects have a map that stays empty for most of the time. */
  #map: Map<K, V> | undefined
  #removed = 0

  get size(): number {
    return this.#map?.size ?? 0
  }

  get(key: K): V | undefined {
    return this.#map?.get(key)
  }

  set(key: K, value: V): void {
    this.#map ??= new Map()
    this.#map.set(key, value)
  }

  /** Returns whether there was an entry. */
  delete(key: K): boolean {
    const map = this.#map
    if (!map?.delete(key)) return false
    if (++this.#removed > MIN_REMOVED && this.#removed > map.size) {
      this.#map = map.size > 0 ? new Map(map) : undefined
      this.#removed = 0
    }
    return true
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    return (this.#map ?? EMPTY).entries()
  }
}
