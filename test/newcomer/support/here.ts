import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A port that is free: port 3000, which the pages name, may be taken on this machine. */
export async function freePort(): Promise<string> {
  const listener = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const { port } = listener.address() as AddressInfo
  await new Promise((resolve) => listener.close(resolve))
  return String(port)
}
