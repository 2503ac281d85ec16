import { createSingleFlight } from '../../../../util/src/async.ts'
import { fromBase64url } from '../../../../util/src/base64url.ts'
import { sha256 } from '../../../../util/src/digest.ts'
import { unref } from '../../../../util/src/timers.ts'
import { sharedStores } from '../shared-stores.ts'
import type { KeyValueStore } from '../store.ts'
import { generateKey, type KeyRing, type SealerOptions } from './seal.ts'

const KEY = 'seal/ring'
/** The keys that processes sealed with before they found another one in the store. */
const RETIRED = 'seal/retired/'
const RETIRED_TTL_MS = 7 * 86_400_000
const MAX_RETIRED = 8
const COMPARE_INTERVAL_MS = 5000
/** A token that was sealed with an unknown key causes a comparison, but not each of them. */
const MIN_RELOAD_INTERVAL_MS = 1000

/**
 * Creates a ring with a random sealing key that all processes on a store share. The first process that needs the key creates it.
 *
 * The key is compared with the store every five seconds. If the store has lost it, the process puts it back. If another process was faster, that
 * one's key is used from then on, and the own one is still accepted, by all processes.
 */
export function createStoredKeyRing(store: KeyValueStore): KeyRing {
  const comparisons = createSingleFlight<readonly string[]>()
  let keys: readonly string[] | undefined
  let comparedAt = -Infinity

  /** Resolves to the key in the store, which is the own one if there was none. */
  const readOrCreate = async (): Promise<string> => {
    const stored = await store.get(KEY)
    if (stored !== undefined) return stored
    const own = keys?.[0] ?? generateKey()
    if (await store.compareAndSet(KEY, { expected: undefined, value: own })) return own
    return (await store.get(KEY)) ?? own
  }
  const readRetired = async (): Promise<string[]> => {
    const names = await store.list(RETIRED, { limit: MAX_RETIRED })
    const retired = await Promise.all(names.map((name) => store.get(name)))
    return retired.filter((key) => key !== undefined).filter(isKey)
  }
  const compare = async (): Promise<readonly string[]> => {
    comparedAt = performance.now()
    const current = await readOrCreate()
    const [own] = keys ?? []
    const isReplaced = own !== undefined && own !== current
    if (isReplaced && !isKey(current)) return keys ?? []
    if (isReplaced) await store.set(RETIRED + (await sha256(own)), own, { ttlMs: RETIRED_TTL_MS })
    if (!keys) compareRegularly(ring)
    keys = [...new Set([current, ...(keys ?? []), ...(await readRetired())])].slice(0, 1 + MAX_RETIRED)
    return keys
  }
  const run = (): Promise<readonly string[]> => comparisons.run('', compare)
  const ring: KeyRing = {
    load: async () => keys ?? run(),
    async reload() {
      if (performance.now() - comparedAt >= MIN_RELOAD_INTERVAL_MS) await run().catch(() => {})
      return keys ?? run()
    },
  }
  return ring
}

/** Compares a ring with its store for as long as it is used. */
function compareRegularly(ring: KeyRing): void {
  // Without weak references, as in some environments of Cloudflare Workers, a timer would keep the ring for ever.
  if (typeof WeakRef === 'undefined') return
  const reference = new WeakRef(ring)
  const timer = unref(
    setInterval(() => {
      const used = reference.deref()
      if (used) used.reload().catch(() => {})
      else clearInterval(timer)
    }, COMPARE_INTERVAL_MS),
  )
}

const isKey = (text: string): boolean => fromBase64url(text)?.length === 32

/**
 * Returns the `keys` of a sealer: those of the user, or a random key that all processes on the store share, by default on the one that the workers of
 * a server share. Without a store, the key is that of the sealer.
 */
export function sealerKeys(
  keys: readonly string[] | undefined,
  store: KeyValueStore | undefined = sharedStores()?.store,
): Pick<SealerOptions, 'keys'> {
  if (keys) return { keys: [...keys] }
  return store ? { keys: createStoredKeyRing(store) } : {}
}
