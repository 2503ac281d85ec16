/** Shared by all clients of the benchmark: they connect, and call `add` when their parent process asks. */
import { parseArgs } from 'node:util'
import { createTally } from './tally.mjs'

const OPTIONS = {
  transport: { type: 'string' },
  mode: { type: 'string', default: 'modern' },
  url: { type: 'string', default: '' },
  program: { type: 'string', default: '[]' },
}

/** @returns {ClientArguments} */
function readArguments() {
  const { transport, mode, url, program } = parseArgs({ options: OPTIONS }).values
  const [command, ...args] = JSON.parse(program)
  return { transport, mode, url, command, args }
}

/** Calls in a closed loop until the time is over. */
async function keepCalling(call, tally) {
  for (let sentAt = performance.now(); ; sentAt = performance.now()) {
    const a = tally.nextNumber()
    const sum = await call(a, 2)
    if (sum !== a + 2) throw new Error(`${a} and 2 made ${sum}`)
    if (!tally.answered(sentAt)) return
  }
}

async function run(call, { concurrency, warmMs, ms }) {
  const tally = createTally({ warmMs, ms })
  await Promise.all(Array.from({ length: concurrency }, () => keepCalling(call, tally)))
  return tally.sample()
}

/**
 * Runs a client program: it opens the connection that the command line describes, then runs the jobs `{ concurrency, warmMs, ms }` that its
 * parent sends, one after the other.
 *
 * @param {(args: ClientArguments) => Promise<(a: number, b: number) => Promise<number>>} open returns the function that calls `add`
 *
 * @typedef {object} ClientArguments
 * @property {'http' | 'stdio' | 'memory'} transport
 * @property {'modern' | 'session'} mode
 * @property {string} url over HTTP
 * @property {string} command over stdio, with its `args`
 * @property {string[]} args
 */
export async function runClient(open) {
  const call = await open(readArguments())
  process.on('disconnect', () => process.exit())
  process.on('message', async (job) => {
    try {
      process.send({ sample: await run(call, job) })
    } catch (error) {
      process.send({ error: String(error.stack) })
    }
  })
  process.send({ ready: true })
}
