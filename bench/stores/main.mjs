/** `node main.mjs NAME MS`: measures how many operations of each kind a backend performs per second. */
import { BACKENDS } from './backends.mjs'
import { USES } from './uses.mjs'

const [name, ms] = process.argv.slice(2)
let turns = 0

async function measure({ turn, inFlight }, forMs) {
  const startedAt = performance.now()
  let operations = 0
  const resume = async () => {
    while (performance.now() - startedAt < forMs) {
      const done = await turn(`key-${turns++}`)
      operations += done
    }
  }
  await Promise.all(Array.from({ length: inFlight }, resume))
  return (operations / (performance.now() - startedAt)) * 1000
}

const backend = await BACKENDS[name].open()
const sample = {}
for (const [metric, open] of Object.entries(USES)) {
  const use = await open(backend)
  await measure(use, Number(ms) / 2)
  sample[metric] = await measure(use, Number(ms))
  await use.close()
}
await backend.close()
console.log(JSON.stringify(sample))
