import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { memoryStores } from '../memory/memory.ts'
import { createNodeRpc, type NodeRpc, type NodeRpcOptions } from './node-rpc.ts'

const { bus } = memoryStores()

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Returns a bus that passes on only the messages of a method that `passes` lets through. */
function lossyBus(passes: (method: string) => boolean): NodeRpcOptions['bus'] {
  return {
    ...bus,
    subscribe: (topic, onMessage) => bus.subscribe(topic, onMessage),
    publish: async (topic, text) => (passes(JSON.parse(text).method) ? bus.publish(topic, text) : undefined),
  }
}

async function createNode(node: string, options: Partial<NodeRpcOptions> = {}): Promise<NodeRpc> {
  const createTimeoutError = (): Error => new Error('too late')
  const rpc = createNodeRpc({ bus, node, prefix: 'test', timeoutMs: 60_000, createTimeoutError, onError: () => {}, ...options })
  await rpc.start()
  return rpc
}

async function settledAfter(ms: number, request: Promise<unknown>): Promise<unknown> {
  let outcome: unknown = 'none yet'
  request.then(
    (value) => (outcome = value),
    (error) => (outcome = error),
  )
  await vi.advanceTimersByTimeAsync(ms)
  return outcome
}

describe('a request', () => {
  test('runs once, however many of its messages are lost', async () => {
    let losses = 6
    const [one, other] = await Promise.all(['a', 'b'].map((name) => createNode(name, { bus: lossyBus(() => losses-- <= 0) })))
    const run = vi.fn(({ value }: JsonObject) => ({ value }))
    other!.setHandlers({ run })
    expect(await settledAfter(5000, one!.request('b', 'run', { value: 3 }))).toEqual({ value: 3 })
    expect(run).toHaveBeenCalledOnce()
  })

  test('that takes long is seldom sent again, and its response is found if it was lost', async () => {
    const sent: string[] = []
    let lostResponses = 1
    const counting = lossyBus((method) => {
      sent.push(method)
      return method !== 'response' || lostResponses-- <= 0
    })
    const one = await createNode('c', { bus: counting })
    const other = await createNode('d', { bus: counting })
    let finish!: (value: JsonObject) => void
    const run = vi.fn(() => new Promise((resolve) => void (finish = resolve)))
    other.setHandlers({ run })
    const request = one.request('d', 'run', {})
    expect(await settledAfter(30_000, request)).toBe('none yet')
    expect(sent.filter((method) => method === 'run').length).toBeLessThan(20)
    finish({ done: true })
    expect(await settledAfter(2500, request)).toEqual({ done: true })
    expect(run).toHaveBeenCalledOnce()
  })

  test('to a node that has ended is undefined: told by the lease, or when nothing was accepted for two seconds', async () => {
    let isAlive = true
    const lease = { isAlive: async () => isAlive }
    const told = (await createNode('e', { lease })).request('gone', 'run', {})
    expect(await settledAfter(5000, told)).toBe('none yet')
    isAlive = false
    expect(await settledAfter(500, told)).toBeUndefined()
    const guessed = (await createNode('f')).request('gone', 'run', {})
    expect(await settledAfter(1500, guessed)).toBe('none yet')
    expect(await settledAfter(1000, guessed)).toBeUndefined()
  })

  test('fails when a node that is alive does not respond in time', async () => {
    const late = (await createNode('g', { lease: { isAlive: async () => true }, timeoutMs: 1000 })).request('silent', 'run', {})
    expect(await settledAfter(1500, late)).toEqual(new Error('too late'))
  })

  test('whose handler fails has an empty result, and the error is reported', async () => {
    const onError = vi.fn()
    const one = await createNode('h')
    const other = await createNode('i', { onError })
    other.setHandlers({ run: () => Promise.reject(new Error('broken')) })
    expect(await settledAfter(100, one.request('i', 'run', {}))).toEqual({})
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('broken'))
  })
})

test('a stopped node receives nothing', async () => {
  const one = await createNode('j')
  const other = await createNode('k')
  const note = vi.fn()
  other.setHandlers({ note })
  one.notify('k', 'note', {})
  await one.broadcast('note', {})
  await vi.advanceTimersByTimeAsync(10)
  expect(note).toHaveBeenCalledTimes(2)
  other.stop()
  one.notify('k', 'note', {})
  await vi.advanceTimersByTimeAsync(10)
  expect(note).toHaveBeenCalledTimes(2)
})
