import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { InputRequest } from '../../protocol/input-types.ts'
import { isTerminalStatus, type TaskStatus } from '../types.ts'
import {
  cancelRecord,
  createRecord,
  endRun,
  giveUpOvertakenRun,
  giveUpRun,
  inputResponsesOf,
  leaseFactor,
  recordInputResponses,
  recordStep,
  setStatusMessage,
  startRun,
  type TaskRecord,
} from './record.ts'

const STATE = { roundTrips: 0, inputResponses: {}, steps: {}, inputRequests: {} }
const CALL = { method: 'tools/call', params: { name: 'work' } }
const inputRequest = (message: string): InputRequest => ({ method: 'elicitation/create', params: { message } })

function newRecord(): TaskRecord {
  return createRecord({ id: 'a', call: CALL, ttlMs: 1000, pollIntervalMs: 10, state: STATE }, 0)
}

const TRANSITIONS: { readonly [status in TaskStatus]: readonly TaskStatus[] } = {
  working: ['working', 'input_required', 'completed', 'failed', 'cancelled'],
  input_required: ['working', 'input_required', 'completed', 'failed', 'cancelled'],
  completed: ['completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
}

const key = fc.constantFrom('name', 'age', 'name-2')
const transition: fc.Arbitrary<(record: TaskRecord) => TaskRecord> = fc.oneof(
  fc.constant(startRun),
  fc.nat(3).map((run) => (record: TaskRecord) => giveUpRun(record, run)),
  fc.nat(3).map((run) => (record: TaskRecord) => giveUpOvertakenRun(record, run)),
  fc.constant((record: TaskRecord) => cancelRecord(record, 5)),
  fc.string().map((message) => (record: TaskRecord) => setStatusMessage(record, message, 5)),
  fc.tuple(key, fc.jsonValue()).map(
    ([name, result]) =>
      (record: TaskRecord) =>
        recordStep(record, name, result),
  ),
  fc.constant((record: TaskRecord) => endRun(record, { result: { content: [] } }, 5)),
  fc.constant((record: TaskRecord) => endRun(record, { error: { code: -32603, message: 'no' } }, 5)),
  fc
    .uniqueArray(key, { minLength: 1 })
    .map((keys) => Object.fromEntries(keys.map((name) => [name, inputRequest(name)])))
    .map((questions) => (record: TaskRecord) => endRun(record, { questions, state: STATE }, 5)),
  fc
    .dictionary(
      fc.oneof(key, fc.constantFrom('name-3', 'age-2', '__proto__')),
      fc.oneof(fc.constant({ action: 'accept' }), fc.jsonValue()),
    )
    .map((responses) => (record: TaskRecord) => recordInputResponses(record, responses, 5)),
)

describe('the record of a task', () => {
  it('TSKX-012 TSKX-019 TSKL-012 makes only allowed transitions, does not change in a terminal status, and never issues a key twice', () => {
    fc.assert(
      fc.property(fc.array(transition, { maxLength: 40 }), (transitions) => {
        let record = newRecord()
        const issued = new Set<string>()
        for (const next of transitions) {
          const before = record
          record = next(before)
          expect(TRANSITIONS[before.status]).toContain(record.status)
          if (isTerminalStatus(before.status)) expect(record).toBe(before)
          if (record.status === 'input_required') expect(Object.values(record.questions).some(({ answer }) => !answer)).toBe(true)
          if (record.questions !== before.questions && before.status === 'working')
            for (const issuedKey of Object.keys(record.questions)) {
              expect(issued.has(issuedKey)).toBe(false)
              issued.add(issuedKey)
            }
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('TSKX-013 TSKX-014 a result with isError completes the task; an error fails it, with its message as status message', () => {
    expect(endRun(newRecord(), { result: { content: [], isError: true } }, 1)).toMatchObject({ status: 'completed' })
    expect(endRun(newRecord(), { error: { code: -32603, message: 'no' } }, 1)).toMatchObject({
      status: 'failed',
      statusMessage: 'no',
    })
  })

  it('TSKX-020 TSKX-022 accepts partial responses, and ignores unknown keys, second responses and invalid responses', () => {
    const waiting = endRun(newRecord(), { questions: { a: inputRequest('a'), b: inputRequest('b') }, state: STATE }, 1)
    const partial = recordInputResponses(waiting, { a: { action: 'accept' }, z: { action: 'accept' }, b: 'yes' }, 2)
    expect(partial).toMatchObject({ status: 'input_required', updatedAt: 2 })
    expect(recordInputResponses(partial, { a: { action: 'decline' } }, 3)).toBe(partial)
    const complete = recordInputResponses(partial, { b: { action: 'accept' } }, 4)
    expect(complete.status).toBe('working')
    expect(inputResponsesOf(complete)).toEqual({ a: { action: 'accept' }, b: { action: 'accept' } })
  })

  it('counts the runs that were not given up, and starts over after progress', () => {
    const startedTwice = startRun(startRun(newRecord()))
    expect(startedTwice).toMatchObject({ run: 2, openRuns: [1, 2] })
    expect(giveUpRun(startedTwice, 1)).toMatchObject({ run: 2, openRuns: [2], overtaken: 0 })
    expect(recordStep(startedTwice, 'a', 1)).toMatchObject({ openRuns: [2], state: { steps: { a: 1 } } })
    expect(giveUpRun(recordStep(startedTwice, 'a', 1), 1)).toMatchObject({ openRuns: [2] })
  })

  it('counts a run that was taken over from a live process as a failure only after several of them; the lease is longer each time', () => {
    let record = newRecord()
    const factors: number[] = []
    for (let overtakings = 0; overtakings < 8; overtakings++) {
      const started = startRun(record)
      factors.push(leaseFactor(started))
      record = giveUpOvertakenRun(started, started.run)
    }
    expect(factors).toEqual([1, 2, 4, 8, 16, 32, 64, 64])
    expect(record.openRuns).toEqual([7, 8])
    expect(leaseFactor(startRun(startRun(newRecord())))).toBe(2)
  })
})
