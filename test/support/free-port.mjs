import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Above the last port that `fetch` refuses, and below those that systems give to connections on their way out, one of which may otherwise
 * take a port between two listeners.
 */
const LOWEST = 10_081
const HIGHEST = 32_000

/** Tells whether somebody could listen at a port of loopback. */
async function isFree(port) {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}

/** A port of loopback for a listener that has to be told of one, or that comes back to it. */
export async function freePort() {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
}
