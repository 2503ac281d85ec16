import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import type { Stores } from 'portcall/stores'
import { onTestFinished } from 'vitest'

/** Serves a server on stores until the test has finished. Returns a function that asks what a load balancer is told: the status of `/readyz`. */
export async function serveHealth(stores: Stores): Promise<() => Promise<number>> {
  const server = createServer({ name: 'trouble', version: '1.0.0' }, { stores, onEvent: () => {} })
  const { port, close } = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(close)
  return async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status
}
