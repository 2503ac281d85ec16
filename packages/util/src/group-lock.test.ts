import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGroupLock } from './group-lock.ts'

test('tasks of different groups, and tasks without a group, never run at the same time', async () => {
  const group = fc.constantFrom('a', 'b', undefined)
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.tuple(group, fc.boolean()), { maxLength: 12 }), async (scheduler, tasks) => {
      const lock = createGroupLock()
      const running: unknown[] = []
      let most = 0
      const runs = tasks.map(async ([group, fails], index) => {
        const task = async (): Promise<number> => {
          running.push(group)
          most = Math.max(most, running.length)
          expect(new Set(running).size).toBe(1)
          if (group === undefined) expect(running).toHaveLength(1)
          await scheduler.schedule(Promise.resolve())
          running.splice(running.indexOf(group), 1)
          if (fails) throw new Error('failed')
          return index
        }
        const outcome = await lock.run(group, task, new AbortController().signal).catch(() => 'failed')
        expect(outcome).toBe(fails ? 'failed' : index)
      })
      await scheduler.waitFor(Promise.all(runs))
      expect(running).toEqual([])
    }),
  )
})

test('a task that is aborted while it waits does not run, and lets the next one run', async () => {
  const lock = createGroupLock()
  const { signal } = new AbortController()
  let release!: () => void
  const first = new Promise<void>((resolve) => {
    release = resolve
  })
  const controller = new AbortController()
  const one = lock.run('a', () => first, signal)
  const two = lock.run('b', () => Promise.reject(new Error('It runs')), controller.signal)
  const three = lock.run('c', async () => 'done', signal)
  controller.abort(new Error('gone'))
  await expect(two).rejects.toThrow('gone')
  release()
  await one
  expect(await three).toBe('done')
})
