import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerBatch, refuseBatch } from './batch.ts'
import { success } from './message.ts'

describe('batches', () => {
  test('H19, H20: are refused if not allowed, empty or too long', () => {
    expect(refuseBatch([1], false, 100)?.code).toBe(-32600)
    expect(refuseBatch([], true, 100)?.code).toBe(-32600)
    expect(refuseBatch(new Array(101).fill(1), true, 100)?.message).toContain('100')
    expect([refuseBatch([1], true, 100), refuseBatch(new Array(100).fill(1), true, 100)]).toEqual([undefined, undefined])
  })

  test('responses have the order of the entries, whichever is ready first; entries without a response are left out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean()), async (scheduler, expectsResponse) => {
        let count = 0
        const responses = answerBatch(expectsResponse, (entry) =>
          scheduler.schedule(Promise.resolve(success(count++, {}))).then((response) => (entry ? response : undefined)),
        )
        const expected = expectsResponse.flatMap((isExpected, at) => (isExpected ? [success(at, {})] : []))
        expect(await scheduler.waitFor(responses)).toEqual(expected.length > 0 ? expected : undefined)
      }),
    )
  })
})
