import { listKeys } from '../stores/listing.ts'
import type { Store, StoreOptions } from '../stores/store.ts'
import { type Case, equal } from './contract.ts'
import { type Random, walk } from './random.ts'

const KEYS = ['a', 'a 1', 'a 2', 'aä', 'b', 'b%', 'b\u{1f600}', 'c']
const VALUES = ['', 'x', 'y', '{"z":1}']
const PREFIXES = ['', 'a', 'a ', 'b', 'none']
const STEPS = 300
/** Short enough to be waited for, and never looked at before it is over: nobody knows how fast a backend is. */
const SHORT_MS = 50

/** A store, what it has to hold, and the keys that expire soon. */
interface Walked {
  readonly store: Store
  readonly advance: (ms: number) => Promise<void>
  readonly model: Map<string, string>
  readonly fading: Set<string>
  readonly random: Random
}

/** Lets all that fades be gone. */
async function settle({ fading, model, advance }: Walked): Promise<void> {
  if (fading.size === 0) return
  await advance(3 * SHORT_MS)
  for (const key of fading) model.delete(key)
  fading.clear()
}

/** Writes what the model is to hold then, in one of the ways there are. */
function put({ model, fading }: Walked, key: string, { value, ttlMs }: { value?: string | undefined; ttlMs?: number }): void {
  fading.delete(key)
  if (value === undefined) model.delete(key)
  else model.set(key, value)
  if (value !== undefined && ttlMs === SHORT_MS) fading.add(key)
}

const ACTS: readonly ((walked: Walked, key: string) => Promise<void>)[] = [
  async ({ store, model }, key) => equal(await store.get(key), model.get(key)),
  async (walked, key) => {
    const value = walked.random.pick(VALUES)
    const options: StoreOptions = walked.random.pick([{}, {}, { ttlMs: 600_000 }, { ttlMs: SHORT_MS }])
    await walked.store.set(key, value, options)
    put(walked, key, { value, ...options })
  },
  async (walked, key) => {
    await walked.store.delete(key)
    put(walked, key, {})
  },
  async (walked, key) => {
    const { store, model, random } = walked
    const held = model.get(key)
    const expected = random.pick([{ is: held }, { is: held }, { is: undefined }, { is: random.pick(VALUES) }]).is
    const value = random.pick([{ is: random.pick(VALUES) }, { is: random.pick(VALUES) }, { is: undefined }]).is
    equal(await store.swap(key, { expected, value }), expected === held)
    if (expected === held) put(walked, key, { value })
  },
  async ({ store, model, random }, key) => {
    const options = random.pick([{}, { limit: 2 }, { after: key }, { after: key, limit: 1 }])
    const prefix = random.pick(PREFIXES)
    equal(await store.list(prefix, options), listKeys(model.keys(), prefix, options))
    equal(await store.count(prefix), listKeys(model.keys(), prefix).length)
  },
]

/** Any operations in any order leave what a plain map would hold. */
export const storeWalk: Record<string, Case<Store>> = {
  'store: any operations agree with a plain map': (store, advance) =>
    walk(async (random) => {
      const walked: Walked = { store, advance, model: new Map(), fading: new Set(), random }
      for (let step = 0; step < STEPS; step++) {
        const act = random.number(ACTS.length)
        const key = random.pick(KEYS)
        if (act > 2 || walked.fading.has(key)) await settle(walked)
        await ACTS[act]?.(walked, key)
      }
    }),
}
