import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerBatch, refuseBatch } from './batch.ts'
import { success } from './message.ts'

describe('batches', () => {
  test('H19, H20: refused where they are unknown, empty, or too long', () => {
    expect(refuseBatch([1], false, 100)?.code).toBe(-32600)
    expect(refuseBatch([], true, 100)?.code).toBe(-32600)
    expect(refuseBatch(new Array(101).fill(1), true, 100)?.message).toContain('100')
    expect([refuseBatch([1], true, 100), refuseBatch(new Array(100).fill(1), true, 100)]).toEqual([undefined, undefined])
  })

  test('answers stand in the order of the entries, whichever is ready first; what needs none leaves no trace', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean()), async (scheduler, wanted) => {
        let count = 0
        const answers = answerBatch(wanted, (entry) =>
          scheduler.schedule(Promise.resolve(success(count++, {}))).then((answer) => (entry ? answer : undefined)),
        )
        expect(await scheduler.waitFor(answers)).toEqual(wanted.flatMap((isWanted, at) => (isWanted ? [success(at, {})] : [])))
      }),
    )
  })
})
