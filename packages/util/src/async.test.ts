import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { createKeyedMutex, createMutex, createSingleFlight, retryableOnce } from './async.ts'

interface Task {
  readonly key: string
  /** Aborted before the task may start. */
  readonly isAborted: boolean
  readonly fails: boolean
}

const tasks = fc.array(fc.record<Task>({ key: fc.constantFrom('a', 'b'), isAborted: fc.boolean(), fails: fc.boolean() }))

describe('a mutex', () => {
  test('runs the tasks of one key one at a time and in order, whatever fails or is aborted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), tasks, async (scheduler, tasks) => {
        const mutex = createKeyedMutex()
        const running = new Map<string, number>()
        const order: number[] = []
        const results = tasks.map(({ key, isAborted, fails }, index) => {
          const run = async (): Promise<number> => {
            expect(running.get(key) ?? 0).toBe(0)
            running.set(key, 1)
            order.push(index)
            await scheduler.schedule(Promise.resolve())
            running.set(key, 0)
            if (fails) throw new Error('failed')
            return index
          }
          return mutex.run(key, run, isAborted ? AbortSignal.abort('aborted') : undefined)
        })
        const settled = Promise.allSettled(results)
        await scheduler.waitFor(settled)
        expect(await settled).toMatchObject(
          tasks.map(({ isAborted, fails }, index) =>
            isAborted
              ? { reason: 'aborted' }
              : fails
                ? { reason: expect.objectContaining({ message: 'failed' }) }
                : { status: 'fulfilled', value: index },
          ),
        )
        for (const key of ['a', 'b']) {
          const expected = tasks.flatMap((task, index) => (task.key === key && !task.isAborted ? [index] : []))
          expect(order.filter((index) => tasks[index]?.key === key)).toEqual(expected)
        }
      }),
    )
  })

  test('stays locked when a waiting task is aborted', async () => {
    const mutex = createMutex()
    const controller = new AbortController()
    let finish!: () => void
    const first = mutex.run(() => new Promise<void>((resolve) => (finish = resolve)))
    const second = mutex.run(async () => 'second', controller.signal)
    controller.abort('aborted')
    await expect(second).rejects.toBe('aborted')
    const third = vi.fn(async () => 'third')
    const result = mutex.run(third)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(third).not.toHaveBeenCalled()
    finish()
    await first
    expect(await result).toBe('third')
  })
})

describe('single flight', () => {
  test('concurrent callers of one key share one execution, later callers start another', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.constantFrom('a', 'b')), async (scheduler, keys) => {
        const singleFlight = createSingleFlight<string>()
        const running = new Set<string>()
        const task = async (key: string): Promise<string> => {
          expect(running.has(key)).toBe(false)
          running.add(key)
          await scheduler.schedule(Promise.resolve())
          running.delete(key)
          return key
        }
        const calls = keys.map((key) => scheduler.schedule(Promise.resolve()).then(() => singleFlight.run(key, () => task(key))))
        const results = Promise.all(calls)
        await scheduler.waitFor(results)
        expect(await results).toEqual(keys)
        for (const key of keys) expect(singleFlight.join(key)).toBeUndefined()
      }),
    )
  })

  test('the task is aborted once all callers have aborted, and the next caller starts a new execution', async () => {
    const singleFlight = createSingleFlight<string>()
    const signals: AbortSignal[] = []
    const task = (signal: AbortSignal): Promise<string> => {
      signals.push(signal)
      return new Promise(() => {})
    }
    const [one, two] = [new AbortController(), new AbortController()]
    const first = singleFlight.run('key', task, one)
    const second = singleFlight.join('key', two)
    one.abort('one')
    await expect(first).rejects.toBe('one')
    expect(signals[0]?.aborted).toBe(false)
    two.abort('two')
    await expect(second).rejects.toBe('two')
    expect(signals[0]).toMatchObject({ aborted: true, reason: 'two' })
    expect(singleFlight.join('key')).toBeUndefined()
    expect(await singleFlight.run('key', async () => 'again')).toBe('again')
  })

  test('all callers receive an error, which is not remembered', async () => {
    const singleFlight = createSingleFlight<string>()
    const fail = (): Promise<string> => Promise.reject(new Error('failed'))
    const calls = [singleFlight.run('key', fail), singleFlight.run('key', fail)]
    for (const call of calls) await expect(call).rejects.toThrow('failed')
    expect(await singleFlight.run('key', async () => 'again')).toBe('again')
  })
})

describe('retryableOnce', () => {
  test('runs once, and again after a failure or a reset', async () => {
    const task = vi.fn(async (argument: string) => {
      if (argument === 'bad') throw new Error('failed')
      return argument
    })
    const once = retryableOnce(task)
    const failed = [once.run('bad'), once.run('good')]
    for (const call of failed) await expect(call).rejects.toThrow('failed')
    expect([await once.run('a'), await once.run('b')]).toEqual(['a', 'a'])
    once.reset()
    expect(await once.run('c')).toBe('c')
    expect(task).toHaveBeenCalledTimes(3)
  })
})
