/** A set of what comes and goes all the time, in the order in which it came. */
export interface Ring<T> {
  readonly empty: boolean
  /** Takes an item in; what it gives takes it out again. */
  add(item: T): Place
  /** Those that are in it now. */
  items(): T[]
}

/** Where an item is in its ring. */
export interface Place {
  /** Takes the item out; does nothing when it is out already. */
  leave(): void
}

/**
 * Makes an empty ring. The engine's own sets grow, shrink and leave tables behind that point to the next ones: once such a table is old,
 * all that came into later ones is kept, and copied, until the next full collection. Nothing points on from a place that was left.
 */
export function createRing<T>(): Ring<T> {
  const head = new Link<T | undefined>(undefined)

  return {
    get empty() {
      return head.next === head
    },
    add: (item) => new Link<T | undefined>(item, head),
    items() {
      const items: T[] = []
      for (let link = head.next; link !== head; link = link.next) items.push(link.item as T)
      return items
    },
  }
}

/** A place in a circle; one that was left is a circle of its own. */
class Link<T> implements Place {
  readonly item: T
  previous: Link<T>
  next: Link<T>

  /** Takes the place before `head`, which is the last. */
  constructor(item: T, head?: Link<T>) {
    this.item = item
    this.previous = head?.previous ?? this
    this.next = head ?? this
    this.previous.next = this
    this.next.previous = this
  }

  leave(): void {
    this.previous.next = this.next
    this.next.previous = this.previous
    this.previous = this
    this.next = this
  }
}
