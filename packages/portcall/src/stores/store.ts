/** How long what is written may stay. */
export interface StoreOptions {
  /** After this many milliseconds the key reads as absent; without it the entry stays until it is deleted or evicted. */
  ttlMs?: number
}

/** A write that depends on what is there. */
export interface Swap extends StoreOptions {
  /** What the key has to hold; `undefined` stands for an absent key. */
  expected: string | undefined
  /** What it is to hold then; `undefined` deletes it. */
  value: string | undefined
}

/** Which part of a listing is wanted. */
export interface ListOptions {
  /** Only keys behind this one, whether it is there or not: the last key of the part before. */
  after?: string
  /** At most so many keys. Default: 1000. */
  limit?: number
}

/**
 * Values by key, with expiry: the first of the three contracts that state rests on. Keys and values are strings of
 * whole characters (no half of a surrogate pair); who writes objects, serializes them.
 *
 * Every operation is atomic on its key, also between processes that share a backend. A backend with a bound may evict entries
 * that have not expired: whoever reads has to live with an absent key.
 */
export interface Store {
  /** The value of a key; nothing when it was never set, was deleted, has expired or was evicted. */
  get(key: string): Promise<string | undefined>
  /** Writes a value, whatever was there. The expiry is written anew too: without `ttlMs` an earlier one is lifted. */
  set(key: string, value: string, options?: StoreOptions): Promise<void>
  /** Removes a key; an absent one is no error. */
  delete(key: string): Promise<void>
  /**
   * Writes `value` when the key holds exactly `expected`, and tells whether it did. Of several callers with the same expectation
   * exactly one succeeds.
   */
  swap(key: string, change: Swap): Promise<boolean>
  /**
   * The keys that begin with a prefix and have not expired, in the order of their bytes in UTF-8. Parts of a listing are not one moment:
   * a key that is there all the time is in exactly one of them, one that comes or goes meanwhile in at most one.
   */
  list(prefix: string, options?: ListOptions): Promise<string[]>
  /** How many keys begin with a prefix and have not expired. */
  count(prefix: string): Promise<number>
}
