import { listKeys } from '../../stores/listing.ts'
import type { KeyValueStore, SetOptions } from '../../stores/store.ts'
import { runWithSeed, type SeededRandom } from '../seeded-random.ts'
import { assertEqual, type ContractCase } from './contract.ts'

const KEYS = ['a', 'a 1', 'a 2', 'aä', 'b', 'b%', 'b\u{1f600}', 'c']
const VALUES = ['', 'x', 'y', '{"z":1}']
const PREFIXES = ['', 'a', 'a ', 'b', 'none']
const STEPS = 300
/** Short enough to wait for. A key with this TTL is not read before it has expired, because the speed of the backend is unknown. */
const SHORT_TTL_MS = 50

/** A store, and a model of what it must contain. */
interface ModelTest {
  readonly store: KeyValueStore
  readonly advance: (ms: number) => Promise<void>
  readonly model: Map<string, string>
  /** The keys with a short TTL. */
  readonly expiring: Set<string>
  readonly random: SeededRandom
}

/** Waits until all keys with a short TTL have expired. */
async function expireKeys({ expiring, model, advance }: ModelTest): Promise<void> {
  if (expiring.size === 0) return
  await advance(3 * SHORT_TTL_MS)
  for (const key of expiring) model.delete(key)
  expiring.clear()
}

/** Records a successful write in the model. */
function record(
  { model, expiring }: ModelTest,
  key: string,
  { value, ttlMs }: { value?: string | undefined; ttlMs?: number },
): void {
  expiring.delete(key)
  if (value === undefined) model.delete(key)
  else model.set(key, value)
  if (value !== undefined && ttlMs === SHORT_TTL_MS) expiring.add(key)
}

const OPERATIONS: readonly ((test: ModelTest, key: string) => Promise<void>)[] = [
  async ({ store, model }, key) => assertEqual(await store.get(key), model.get(key)),
  async (test, key) => {
    const value = test.random.pick(VALUES)
    const options: SetOptions = test.random.pick([{}, {}, { ttlMs: 600_000 }, { ttlMs: SHORT_TTL_MS }])
    await test.store.set(key, value, options)
    record(test, key, { value, ...options })
  },
  async (test, key) => {
    await test.store.delete(key)
    record(test, key, {})
  },
  async (test, key) => {
    const { store, model, random } = test
    const current = model.get(key)
    const expected = random.pick([{ is: current }, { is: current }, { is: undefined }, { is: random.pick(VALUES) }]).is
    const value = random.pick([{ is: random.pick(VALUES) }, { is: random.pick(VALUES) }, { is: undefined }]).is
    assertEqual(await store.compareAndSet(key, { expected, value }), expected === current)
    if (expected === current) record(test, key, { value })
  },
  async ({ store, model, random }, key) => {
    const options = random.pick([{}, { limit: 2 }, { after: key }, { after: key, limit: 1 }])
    const prefix = random.pick(PREFIXES)
    assertEqual(await store.list(prefix, options), listKeys(model.keys(), prefix, options))
    assertEqual(await store.count(prefix), listKeys(model.keys(), prefix).length)
  },
]

/** Compares random operations on a store with the same operations on a Map. */
export const storeModelCases: Record<string, ContractCase<KeyValueStore>> = {
  'store: random operations behave as on a Map': (store, advance) =>
    runWithSeed(async (random) => {
      const test: ModelTest = { store, advance, model: new Map(), expiring: new Set(), random }
      for (let step = 0; step < STEPS; step++) {
        const index = random.number(OPERATIONS.length)
        const key = random.pick(KEYS)
        if (index > 2 || test.expiring.has(key)) await expireKeys(test)
        await OPERATIONS[index]?.(test, key)
      }
    }),
}
