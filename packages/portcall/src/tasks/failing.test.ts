import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { callerOf } from '../../test-kit/server.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import { createServer } from '../server/server.ts'
import { memoryStores } from '../stores/memory/memory.ts'
import { faultyStores, type StoreFault } from '../testing/faults/faulty-stores.ts'
import { tasks } from './server/extension.ts'
import { isTerminalStatus, type TaskStatus } from './types.ts'

const CAPABILITIES = { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } }
const LIMITS = {
  ttlMs: 600_000,
  maxClockSkewMs: 1000,
  leaseTtlMs: 1000,
  sweepIntervalMs: 3000,
  storeTimeoutMs: 300,
  statusMessageIntervalMs: 10,
}
const Name = z.object({ name: z.string() })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Runs a task from its creation to its expiry on stores of which one operation fails, with a client that retries. */
async function runLifecycle(fault?: { readonly at: number; readonly how: StoreFault }) {
  const memory = memoryStores()
  const stores = faultyStores(memory, fault)
  const effects: string[] = []
  const server = createServer(
    { name: 'failing', version: '1' },
    { stores, extensions: [tasks({ limits: LIMITS })], onEvent() {} },
  )
  server.tool('work', { task: 'required' }, async (_, call) => {
    await call.step('first', () => effects.push('first'))
    call.progress(1, 2, 'half')
    const { name } = await call.elicit('Who?', Name, { key: 'who' })
    await call.step('last', () => effects.push('last'))
    return `Hello, ${name}`
  })
  const caller = callerOf(server, CAPABILITIES)
  const request = async (method: string, params: JsonObject): Promise<JsonObject> => {
    for (let attempt = 0; attempt < 5; attempt++) {
      const pending = caller.request(method, params)
      await vi.advanceTimersByTimeAsync(0)
      if (!(await Promise.race([pending, undefined]))) await vi.advanceTimersByTimeAsync(2000)
      const response = await pending
      if ('result' in response) return response.result
      await vi.advanceTimersByTimeAsync(100)
    }
    throw new Error(`${method} failed five times`)
  }

  const { taskId } = await request('tools/call', { name: 'work' })
  let task: JsonObject = {}
  for (let polls = 0; polls < 100 && !isTerminalStatus(task.status as TaskStatus); polls++) {
    await vi.advanceTimersByTimeAsync(200)
    task = await request('tasks/get', { taskId })
    for (const key of Object.keys((task.inputRequests as JsonObject) ?? {}))
      await request('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content: { name: 'Ada' } } } })
  }
  await vi.advanceTimersByTimeAsync(5 * LIMITS.sweepIntervalMs)
  const { length } = stores.operations
  stores.setFaults()
  server.close()
  await vi.advanceTimersByTimeAsync(LIMITS.ttlMs + LIMITS.maxClockSkewMs + LIMITS.sweepIntervalMs)
  return { task, effects, operations: length, failures: stores.failures, remaining: await memory.store.list('') }
}

describe('a task on stores of which one operation fails', () => {
  it.each(['reject', 'lose', 'hang'] as const)('ends with the right result, whichever operation fails (%s)', async (how) => {
    const total = (await runLifecycle()).operations
    for (let at = 1; at <= total; at++) {
      const { task, effects, failures, remaining } = await runLifecycle({ at, how })
      const where = `operation ${at} of ${total}`
      expect(failures, where).toBe(1)
      expect(task, where).toMatchObject({ status: 'completed', result: { content: [{ text: 'Hello, Ada' }] } })
      expect(effects, where).toEqual(['first', 'last'])
      expect(remaining, where).toEqual([])
    }
    expect(total).toBeGreaterThan(30)
  })
})
