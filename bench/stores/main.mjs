/** Uses one backend as servers use it, `node main.mjs NAME MS`: prints how many operations of each kind it does in a second. */
import { BACKENDS } from './backends.mjs'

const [name, ms] = process.argv.slice(2)
const VALUE = JSON.stringify({ text: 'x'.repeat(200) })
const EVENTS = 10

/** What a server does with a value that rests until its client comes back, and with the events of one answer. */
const USES = {
  async storePerSecond({ store }, key) {
    await store.set(key, VALUE, { ttlMs: 60_000 })
    await store.get(key)
    await store.swap(key, { expected: VALUE, value: undefined })
    return 3
  },
  async logPerSecond({ log }, key) {
    let first
    for (let event = 0; event < EVENTS; event++) first ??= await log.append(key, VALUE)
    await log.read(key, first)
    await log.delete(key)
    return EVENTS + 2
  },
}

async function measure(use, backend, forMs) {
  const startedAt = performance.now()
  let operations = 0
  for (let turn = 0; performance.now() - startedAt < forMs; turn++) operations += await use(backend, `key-${turn}`)
  return (operations / (performance.now() - startedAt)) * 1000
}

const backend = await BACKENDS[name].open()
const sample = {}
for (const [metric, use] of Object.entries(USES)) {
  await measure(use, backend, Number(ms) / 2)
  sample[metric] = await measure(use, backend, Number(ms))
}
await backend.close()
console.log(JSON.stringify(sample))
