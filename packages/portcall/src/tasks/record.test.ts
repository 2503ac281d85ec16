import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { InputRequest } from '../protocol/types.ts'
import { answer, answersOf, begin, cancel, keepStep, newRecord, putBack, say, settle, type TaskRecord } from './record.ts'
import { isFinal, type TaskStatus } from './types.ts'

const STATE = { round: 0, answers: {}, steps: {}, asked: {} }
const CALL = { method: 'tools/call', params: { name: 'work' } }
const question = (message: string): InputRequest => ({ method: 'elicitation/create', params: { message } })

function fresh(): TaskRecord {
  return newRecord({ id: 'a', call: CALL, ttlMs: 1000, pollIntervalMs: 10, state: STATE }, 0)
}

const MOVES: { readonly [status in TaskStatus]: readonly TaskStatus[] } = {
  working: ['working', 'input_required', 'completed', 'failed', 'cancelled'],
  input_required: ['working', 'input_required', 'completed', 'failed', 'cancelled'],
  completed: ['completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
}

const key = fc.constantFrom('name', 'age', 'name-2')
const change: fc.Arbitrary<(record: TaskRecord) => TaskRecord> = fc.oneof(
  fc.constant(begin),
  fc.constant(putBack),
  fc.constant((record: TaskRecord) => cancel(record, 5)),
  fc.string().map((message) => (record: TaskRecord) => say(record, message, 5)),
  fc.tuple(key, fc.jsonValue()).map(
    ([name, result]) =>
      (record: TaskRecord) =>
        keepStep(record, name, result),
  ),
  fc.constant((record: TaskRecord) => settle(record, { result: { content: [] } }, 5)),
  fc.constant((record: TaskRecord) => settle(record, { error: { code: -32603, message: 'no' } }, 5)),
  fc
    .uniqueArray(key, { minLength: 1 })
    .map((keys) => Object.fromEntries(keys.map((one) => [one, question(one)])))
    .map((questions) => (record: TaskRecord) => settle(record, { questions, state: STATE }, 5)),
  fc
    .dictionary(
      fc.oneof(key, fc.constantFrom('name-3', 'age-2', '__proto__')),
      fc.oneof(fc.constant({ action: 'accept' }), fc.jsonValue()),
    )
    .map((responses) => (record: TaskRecord) => answer(record, responses, 5)),
)

describe('the record of a task', () => {
  it('TSKX-012 TSKX-019 TSKL-012 only moves as it may, keeps what is final, and never uses a key twice', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        let record = fresh()
        const issued = new Set<string>()
        for (const next of changes) {
          const before = record
          record = next(before)
          expect(MOVES[before.status]).toContain(record.status)
          if (isFinal(before.status)) expect(record).toBe(before)
          if (record.status === 'input_required')
            expect(Object.values(record.questions).some(({ answer: given }) => !given)).toBe(true)
          if (record.questions !== before.questions && before.status === 'working')
            for (const one of Object.keys(record.questions)) {
              expect(issued.has(one)).toBe(false)
              issued.add(one)
            }
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('TSKX-013 TSKX-014 a result that is an error completes it; an error fails it and says why', () => {
    expect(settle(fresh(), { result: { content: [], isError: true } }, 1)).toMatchObject({ status: 'completed' })
    expect(settle(fresh(), { error: { code: -32603, message: 'no' } }, 1)).toMatchObject({
      status: 'failed',
      statusMessage: 'no',
    })
  })

  it('TSKX-020 TSKX-022 takes some of the answers, and leaves what is unknown, answered or no answer alone', () => {
    const asked = settle(fresh(), { questions: { a: question('a'), b: question('b') }, state: STATE }, 1)
    const some = answer(asked, { a: { action: 'accept' }, z: { action: 'accept' }, b: 'yes' }, 2)
    expect(some).toMatchObject({ status: 'input_required', updatedAt: 2 })
    expect(answer(some, { a: { action: 'decline' } }, 3)).toBe(some)
    const all = answer(some, { b: { action: 'accept' } }, 4)
    expect(all.status).toBe('working')
    expect(answersOf(all)).toEqual({ a: { action: 'accept' }, b: { action: 'accept' } })
  })

  it('counts how often it was begun, and forgets that when it gets further', () => {
    const twice = begin(begin(fresh()))
    expect(twice).toMatchObject({ run: 2, attempts: 2 })
    expect(putBack(twice)).toMatchObject({ run: 2, attempts: 1 })
    expect(keepStep(twice, 'a', 1)).toMatchObject({ attempts: 1, state: { steps: { a: 1 } } })
  })
})
