import { serve } from 'portcall/node'
import { onTestFinished } from 'vitest'
import { createFixtureServer } from '../fixtures/fixture-server.mjs'

/** Serves a fixture over HTTP until the test ends. Returns its URL. */
export async function serveFixture(server: Parameters<typeof serve>[0] = createFixtureServer()): Promise<string> {
  const listening = await serve(server, { port: 0, handleProcessSignals: false })
  onTestFinished(() => listening.close())
  return listening.url
}
