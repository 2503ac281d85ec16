/**
 * The record of a task and its transitions, as pure functions without clock, store or network. Each transition takes a record and returns the
 * next one, or the same object if nothing changes. A record with a terminal status never changes.
 */

import type { Auth } from '../../jsonrpc/exchange.ts'
import { type ErrorBody, isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import type { RequestState } from '../../server/input-requests/request-state.ts'
import { isTerminalStatus, type TaskStatus } from '../types.ts'

/** The request that became a task. Each run of the task dispatches it again. */
export interface TaskCall {
  readonly method: string
  readonly params: JsonObject
  readonly auth?: Auth
}

/** An input request of a task, stored under the key that the client uses. */
export interface RecordedInputRequest {
  /** The key that the handler uses. */
  readonly key: string
  readonly question: InputRequest
  readonly answer?: JsonObject
}

/** The state of a task; plain JSON. */
export interface TaskRecord {
  readonly id: string
  /** The owner. The task does not exist for anybody else. */
  readonly principal?: string
  readonly call: TaskCall
  readonly status: TaskStatus
  readonly statusMessage?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** When it was enqueued last, if that was after its last update. */
  readonly queuedAt?: number
  /** The number of runs so far. Only the latest run may write the record (fencing). */
  readonly run: number
  /** The runs since the last progress that have neither ended nor been given up by their process. */
  readonly openRuns: readonly number[]
  /** How often a run was taken over from a process that had not failed. */
  readonly overtaken: number
  /** The request state of its handler. */
  readonly state: RequestState
  /** The input requests of the current round trip. */
  readonly questions: { readonly [key: string]: RecordedInputRequest }
  /** All keys of input requests that were ever issued. */
  readonly keys: readonly string[]
  readonly result?: JsonObject
  readonly error?: ErrorBody
}

/** The outcome of a run of the handler: a result, an error, or input requests. */
export type RunOutcome =
  | { readonly result: JsonObject }
  | { readonly error: ErrorBody }
  | { readonly questions: { readonly [key: string]: InputRequest }; readonly state: RequestState }

/** The properties of a new task. */
export type NewTask = Pick<TaskRecord, 'id' | 'principal' | 'call' | 'ttlMs' | 'pollIntervalMs' | 'state'>

export function createRecord(task: NewTask, now: number): TaskRecord {
  return {
    ...task,
    status: 'working',
    createdAt: now,
    updatedAt: now,
    run: 0,
    openRuns: [],
    overtaken: 0,
    questions: {},
    keys: [],
  }
}

/** Records that a worker starts a run. */
export function startRun(record: TaskRecord): TaskRecord {
  if (record.status !== 'working') return record
  const run = record.run + 1
  return { ...record, run, openRuns: [...record.openRuns, run] }
}

/** Records that a worker stopped before the end of its run, and not because of the task: the run does not count as a failure. */
export function giveUpRun(record: TaskRecord, run: number): TaskRecord {
  if (record.status !== 'working' || !record.openRuns.includes(run)) return record
  return { ...record, openRuns: record.openRuns.filter((one) => one !== run) }
}

/** Records that a run was taken over from a worker that had not failed. Such a run does not count as a failure, up to a number of times. */
export function giveUpOvertakenRun(record: TaskRecord, run: number): TaskRecord {
  if (record.status !== 'working' || record.overtaken >= MAX_OVERTAKEN) return record
  return { ...giveUpRun(record, run), overtaken: record.overtaken + 1 }
}

const MAX_OVERTAKEN = 6

/**
 * Returns the factor by which the lease of a run is longer than usual: a handler that blocks the event loop is taken over again and again unless
 * the lease of one of its runs outlasts the block.
 */
export function leaseFactor({ overtaken, openRuns }: TaskRecord): number {
  return 2 ** Math.min(MAX_OVERTAKEN, overtaken + (openRuns.length > 1 ? 1 : 0))
}

/** Records that the task was enqueued again. */
export function markRequeued(record: TaskRecord, now: number): TaskRecord {
  return record.status === 'working' ? { ...record, queuedAt: now } : record
}

/** Records the result of a step of the handler. */
export function recordStep(record: TaskRecord, name: string, result: unknown): TaskRecord {
  if (isTerminalStatus(record.status)) return record
  const steps = { ...record.state.steps, [name]: result }
  return { ...record, openRuns: [record.run], state: { ...record.state, steps } }
}

/** Records a progress message of the handler. */
export function setStatusMessage(record: TaskRecord, statusMessage: string, now: number): TaskRecord {
  if (record.status !== 'working' || record.statusMessage === statusMessage) return record
  return { ...record, statusMessage, updatedAt: now }
}

/** Records the outcome of a run. */
export function endRun(record: TaskRecord, outcome: RunOutcome, now: number): TaskRecord {
  if (record.status !== 'working') return record
  const { statusMessage: _removed, ...rest } = record
  if ('result' in outcome) return { ...rest, ...CLEARED, status: 'completed', result: outcome.result, updatedAt: now }
  if ('error' in outcome)
    return { ...rest, ...CLEARED, status: 'failed', error: outcome.error, statusMessage: outcome.error.message, updatedAt: now }
  return requestInput(record, outcome, now)
}

/** The members that a task with a terminal status does not need. */
const CLEARED: Pick<TaskRecord, 'state' | 'questions' | 'keys'> = {
  state: { roundTrips: 0, inputResponses: {}, steps: {}, inputRequests: {} },
  questions: {},
  keys: [],
}

/** Issues each input request under a key that was never used before, so that a client can tell which ones it has responded to. */
function requestInput(
  record: TaskRecord,
  { questions, state }: Extract<RunOutcome, { questions: unknown }>,
  now: number,
): TaskRecord {
  const keys = [...record.keys]
  const issued: { [key: string]: RecordedInputRequest } = {}
  for (const [key, question] of Object.entries(questions)) {
    const unusedKey = toUnusedKey(key, keys)
    keys.push(unusedKey)
    issued[unusedKey] = { key, question }
  }
  return { ...record, status: 'input_required', questions: issued, keys, state, openRuns: [], updatedAt: now }
}

function toUnusedKey(key: string, usedKeys: readonly string[]): string {
  let unusedKey = key
  for (let suffix = 2; usedKeys.includes(unusedKey); suffix++) unusedKey = `${key}-${suffix}`
  return unusedKey
}

/** Records responses of the client. Unknown keys and second responses are ignored. With the last response, the task continues. */
export function recordInputResponses(record: TaskRecord, responses: JsonObject, now: number): TaskRecord {
  if (record.status !== 'input_required') return record
  const questions = { ...record.questions }
  for (const [key, response] of Object.entries(responses)) {
    const question = Object.hasOwn(questions, key) ? questions[key] : undefined
    if (question && !question.answer && isObject(response)) questions[key] = { ...question, answer: response }
  }
  const isIncomplete = Object.values(questions).some(({ answer }) => !answer)
  if (isIncomplete && hasSameValues(questions, record.questions)) return record
  return { ...record, questions, status: isIncomplete ? 'input_required' : 'working', updatedAt: now }
}

function hasSameValues(a: TaskRecord['questions'], b: TaskRecord['questions']): boolean {
  return Object.entries(a).every(([key, question]) => b[key] === question)
}

/** Records that the task is cancelled. */
export function cancelRecord(record: TaskRecord, now: number, statusMessage?: string): TaskRecord {
  if (isTerminalStatus(record.status)) return record
  const { statusMessage: _removed, ...rest } = record
  return { ...rest, ...CLEARED, status: 'cancelled', updatedAt: now, ...(statusMessage !== undefined && { statusMessage }) }
}

/** Returns the input responses for the next run, under the keys that the handler uses. */
export function inputResponsesOf({ questions }: TaskRecord): JsonObject {
  return Object.fromEntries(Object.values(questions).flatMap(({ key, answer }) => (answer ? [[key, answer]] : [])))
}
