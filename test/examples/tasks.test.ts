import type { JsonObject } from 'portcall/jsonrpc'
import { expect, test } from 'vitest'
import { printed, server, tidyUp } from '../../examples/tasks.ts'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { createDriver, type Driver } from '../support/driver.ts'
import { memoryWire } from '../support/wire-memory.ts'

const CAPABILITIES = { elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } }

async function end(peer: Driver, taskId: unknown): Promise<JsonObject> {
  return eventually(async () => {
    const { result } = await peer.request('tasks/get', { taskId })
    for (const key of Object.keys((result.inputRequests as JsonObject) ?? {})) {
      const content = { colour: 'red' }
      await peer.request('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content } } })
    }
    expect(result.status).toBe('completed')
    return result
  })
}

test('tasks', async () => {
  const place = { transport: 'memory', revision: '2026-07-28', capabilities: CAPABILITIES } as const
  const peer = await createDriver((receive) => memoryWire(server, receive), place)
  const call = async (name: string): Promise<JsonObject> => (await peer.request('tools/call', { name })).result

  const done = await end(peer, (await call('print')).taskId)
  expect(done.result).toMatchObject({ content: [{ text: 'Printed 3 pages' }] })
  const bound = await end(peer, (await call('bind')).taskId)
  expect(bound.result).toMatchObject({ content: [{ text: 'Bound in red' }] })
  peer.onInputRequest(() => ({ action: 'accept', content: { address: 'Oslo' } }))
  const posted = await end(peer, (await call('post')).taskId)
  expect(posted).toMatchObject({ ttlMs: 3_600_000, result: { content: [{ text: 'Posted to Oslo' }] } })
  expect(printed.splice(0)).toEqual(['cover', 'contents', 'index', 'fold', 'stamp'])
  await tidyUp('nobody')
  await peer.close()
  expect(peer.violations).toEqual([])
})
