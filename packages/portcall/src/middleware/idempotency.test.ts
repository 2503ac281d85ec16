import { expect, test } from 'vitest'
import { delay } from '../../../util/src/timers.ts'
import { callerOf } from '../../test-kit/server.ts'
import type { Response } from '../jsonrpc/message.ts'
import { createServer } from '../server/server.ts'
import { memoryStores } from '../stores/memory/memory.ts'
import { idempotency } from './idempotency.ts'
import { idempotencyKey } from './idempotency-key.ts'

const LEASE_TTL_MS = 100

/** Blocks the event loop. */
function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a call that blocks the event loop for longer than the lease has not failed: the same call gets its outcome', async () => {
  const { store } = memoryStores()
  let runs = 0
  let again: Promise<Response> | undefined
  const server = createServer({ name: 'blocking', version: '1' }, { onEvent() {} })
  server.use(idempotency({ store, leaseTtlMs: LEASE_TTL_MS }))
  server.tool('charge', {}, async () => {
    runs++
    block(3 * LEASE_TTL_MS)
    again = caller.request('tools/call', { name: 'charge' })
    await delay(2 * LEASE_TTL_MS)
    return `charged ${runs}`
  })
  const caller = callerOf(server, {}, idempotencyKey('order-7'))
  const first = await caller.request('tools/call', { name: 'charge' })
  expect(first).toMatchObject({ result: { content: [{ text: 'charged 1' }] } })
  expect(await again).toMatchObject({ result: { content: [{ text: 'charged 1' }] } })
  expect(runs).toBe(1)
})
