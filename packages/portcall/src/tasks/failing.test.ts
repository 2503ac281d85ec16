import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { createServer } from '../index.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import { callerOf } from '../server/server.test-kit.ts'
import { memory } from '../stores/memory.ts'
import { failing, type StoreFault } from '../testing/failing.ts'
import { tasks } from './extension.ts'
import { isFinal, type TaskStatus } from './types.ts'

const KNOWS = { elicitation: { form: {} }, extensions: { [TASKS_EXTENSION]: {} } }
const LIMITS = { ttlMs: 600_000, maxSkewMs: 1000, leaseMs: 1000, sweepMs: 3000, storeTimeoutMs: 300, messageMs: 10 }
const Name = z.object({ name: z.string() })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The life of a task over stores of which one operation fails, with a caller who tries again. */
async function live(fault?: { readonly at: number; readonly how: StoreFault }) {
  const plain = memory()
  const stores = failing(plain, fault)
  const effects: string[] = []
  const server = createServer({ name: 'failing', version: '1' }, { stores, extensions: [tasks({ limits: LIMITS })] })
  server.tool('work', { task: 'required' }, async (_, call) => {
    await call.step('first', () => effects.push('first'))
    call.progress(1, 2, 'half')
    const { name } = await call.elicit('Who?', Name, { key: 'who' })
    await call.step('last', () => effects.push('last'))
    return `Hello, ${name}`
  })
  const caller = callerOf(server, KNOWS)
  const ask = async (method: string, params: JsonObject): Promise<JsonObject> => {
    for (let tries = 0; tries < 5; tries++) {
      const answered = caller.request(method, params)
      await vi.advanceTimersByTimeAsync(0)
      if (!(await Promise.race([answered, undefined]))) await vi.advanceTimersByTimeAsync(2000)
      const response = await answered
      if ('result' in response) return response.result
      await vi.advanceTimersByTimeAsync(100)
    }
    throw new Error(`${method} failed five times`)
  }

  const { taskId } = await ask('tools/call', { name: 'work' })
  let task: JsonObject = {}
  for (let looks = 0; looks < 100 && !isFinal(task.status as TaskStatus); looks++) {
    await vi.advanceTimersByTimeAsync(200)
    task = await ask('tasks/get', { taskId })
    for (const key of Object.keys((task.inputRequests as JsonObject) ?? {}))
      await ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept', content: { name: 'Ada' } } } })
  }
  await vi.advanceTimersByTimeAsync(5 * LIMITS.sweepMs)
  const { length } = stores.operations
  stores.set()
  server.close()
  await vi.advanceTimersByTimeAsync(LIMITS.ttlMs + LIMITS.maxSkewMs + LIMITS.sweepMs)
  return { task, effects, operations: length, failures: stores.failures, left: await plain.store.list('') }
}

describe('a task over stores of which one operation fails', () => {
  it.each(['reject', 'lose', 'hang'] as const)('comes to its end with nothing lost, whichever it is (%s)', async (how) => {
    const whole = (await live()).operations
    for (let at = 1; at <= whole; at++) {
      const { task, effects, failures, left } = await live({ at, how })
      const where = `operation ${at} of ${whole}`
      expect(failures, where).toBe(1)
      expect(task, where).toMatchObject({ status: 'completed', result: { content: [{ text: 'Hello, Ada' }] } })
      expect(effects, where).toEqual(['first', 'last'])
      expect(left, where).toEqual([])
    }
    expect(whole).toBeGreaterThan(30)
  })
})
