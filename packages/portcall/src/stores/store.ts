/** Options of a write. */
export interface SetOptions {
  /** Time to live in milliseconds. Default: the entry stays until it is deleted or evicted. */
  ttlMs?: number
}

/** A conditional write. */
export interface CompareAndSet extends SetOptions {
  /** The value that the key must have; `undefined` means that the key must be absent. */
  expected: string | undefined
  /** The new value; `undefined` deletes the key. */
  value: string | undefined
}

/** Selects one page of keys. */
export interface KeyListOptions {
  /** Only keys greater than this one, which need not exist. Pass the last key of the previous page. */
  after?: string
  /** Maximum number of keys. Default: 1000. */
  limit?: number
}

/**
 * A key-value store with expiry. Keys and values are well-formed strings (no lone surrogates); callers serialize objects themselves.
 *
 * Every operation is atomic per key, also between processes that share a backend. Backends with a limit may evict entries that have not
 * expired: readers must cope with absent keys.
 */
export interface KeyValueStore {
  /** Resolves to the value of a key, or to `undefined` if it was never set, was deleted, has expired or was evicted. */
  get(key: string): Promise<string | undefined>
  /** Sets a value unconditionally. Replaces the expiry too: without `ttlMs`, an earlier one is removed. */
  set(key: string, value: string, options?: SetOptions): Promise<void>
  /** Deletes a key. Does nothing if it is absent. */
  delete(key: string): Promise<void>
  /**
   * Writes `value` if the key has exactly the value `expected`. Resolves to whether it was written. Of several concurrent callers with the
   * same expectation, exactly one succeeds.
   */
  compareAndSet(key: string, change: CompareAndSet): Promise<boolean>
  /**
   * Resolves to the unexpired keys with a prefix, ordered by their UTF-8 bytes. Pages are not a snapshot: a key that exists throughout is in
   * exactly one page, a key that is added or removed meanwhile in at most one.
   */
  list(prefix: string, options?: KeyListOptions): Promise<string[]>
  /** Resolves to the number of unexpired keys with a prefix. */
  count(prefix: string): Promise<number>
}
