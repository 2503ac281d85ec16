import { expect, test } from 'vitest'
import { isSuccess } from '../jsonrpc/message.ts'
import { createServer } from '../server/server.ts'
import { clientMeta, discoverRequest } from './probes.ts'
import { MODERN_VERSION } from './revisions.ts'

test.each([undefined, { name: 'client', version: '1' }])('servers answer the probe of a client that is %o', async (info) => {
  const context = { signal: new AbortController().signal, notify: () => {} }
  const server = createServer({ name: 'server', version: '1' })
  const response = await server.exchange(discoverRequest('probe', clientMeta(info)), context)
  expect(isSuccess(response) && response.result.supportedVersions).toContain(MODERN_VERSION)
  expect(response.id).toBe('probe')
})
