import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Above the last port that `fetch` blocks and below the ephemeral ports of common systems: an outgoing connection could otherwise take a
 * port between two listeners.
 */
const LOWEST = 10_081
const HIGHEST = 32_000

/** Reports whether a loopback port is free to listen on. */
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

/** Returns a free loopback port for a listener that needs a fixed port or listens on the same port again. */
export async function freePort() {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
}
