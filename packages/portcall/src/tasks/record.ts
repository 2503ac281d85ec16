/**
 * The record of a task and all that can happen to it, without time, store or network: each change takes a record and gives the next one, or
 * the same one when nothing is to be done. What is final never changes.
 */

import type { CallState } from '../index.ts'
import type { Auth } from '../jsonrpc/exchange.ts'
import type { ErrorBody, JsonObject } from '../jsonrpc/message.ts'
import type { InputRequest } from '../protocol/types.ts'
import { isFinal, type TaskStatus } from './types.ts'

/** The request that became a task, as it is run whenever it is run. */
export interface TaskCall {
  readonly method: string
  readonly params: JsonObject
  readonly auth?: Auth
}

/** A question of a task, under the key that its client knows. */
export interface TaskQuestion {
  /** The key that the handler knows it by. */
  readonly key: string
  readonly question: InputRequest
  readonly answer?: JsonObject
}

/** All that is known of a task; plain JSON. */
export interface TaskRecord {
  readonly id: string
  /** Whose it is: nobody else ever hears of it. */
  readonly principal?: string
  readonly call: TaskCall
  readonly status: TaskStatus
  readonly statusMessage?: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** When it was handed to the engine for the last time, if that was not when it was last updated. */
  readonly queuedAt?: number
  /** How often it was begun: who began it later writes, who began it before does not. */
  readonly run: number
  /** How often it was begun since it last got further. */
  readonly attempts: number
  /** What its handler remembers. */
  readonly state: CallState
  /** The questions of this round. */
  readonly questions: { readonly [key: string]: TaskQuestion }
  /** All keys that were ever handed out. */
  readonly keys: readonly string[]
  readonly result?: JsonObject
  readonly error?: ErrorBody
}

/** How a run of the handler ended: with a result, an error, or questions. */
export type Outcome =
  | { readonly result: JsonObject }
  | { readonly error: ErrorBody }
  | { readonly questions: { readonly [key: string]: InputRequest }; readonly state: CallState }

/** A new task, of which nothing was done yet. */
export type NewTask = Pick<TaskRecord, 'id' | 'principal' | 'call' | 'ttlMs' | 'pollIntervalMs' | 'state'>

export function newRecord(task: NewTask, now: number): TaskRecord {
  return { ...task, status: 'working', createdAt: now, updatedAt: now, run: 0, attempts: 0, questions: {}, keys: [] }
}

/** Somebody begins to work on it. */
export function begin(record: TaskRecord): TaskRecord {
  if (record.status !== 'working') return record
  return { ...record, run: record.run + 1, attempts: record.attempts + 1 }
}

/** Whoever works on it stops before it got anywhere, for no fault of the task. */
export function putBack(record: TaskRecord): TaskRecord {
  return record.status === 'working' ? { ...record, attempts: Math.max(0, record.attempts - 1) } : record
}

/** It is handed to the engine again. */
export function queueAgain(record: TaskRecord, now: number): TaskRecord {
  return record.status === 'working' ? { ...record, queuedAt: now } : record
}

/** Its handler has made a step. */
export function keepStep(record: TaskRecord, name: string, result: unknown): TaskRecord {
  if (isFinal(record.status)) return record
  const steps = { ...record.state.steps, [name]: result }
  return { ...record, attempts: 1, state: { ...record.state, steps } }
}

/** Its handler says how far it is. */
export function say(record: TaskRecord, statusMessage: string, now: number): TaskRecord {
  if (record.status !== 'working' || record.statusMessage === statusMessage) return record
  return { ...record, statusMessage, updatedAt: now }
}

/** A run of its handler is over. */
export function settle(record: TaskRecord, outcome: Outcome, now: number): TaskRecord {
  if (record.status !== 'working') return record
  const { statusMessage: _said, ...rest } = record
  if ('result' in outcome) return { ...rest, ...CLEARED, status: 'completed', result: outcome.result, updatedAt: now }
  if ('error' in outcome)
    return { ...rest, ...CLEARED, status: 'failed', error: outcome.error, statusMessage: outcome.error.message, updatedAt: now }
  return ask(record, outcome, now)
}

/** What a finished task needs no more. */
const CLEARED = { state: { round: 0, answers: {}, steps: {}, asked: {} }, questions: {}, keys: [] }

/** A key is never used again, so that a client can tell what it has answered already. */
function ask(record: TaskRecord, { questions, state }: Extract<Outcome, { questions: unknown }>, now: number): TaskRecord {
  const keys = [...record.keys]
  const asked: { [key: string]: TaskQuestion } = {}
  for (const [key, question] of Object.entries(questions)) {
    const fresh = freshKey(key, keys)
    keys.push(fresh)
    asked[fresh] = { key, question }
  }
  return { ...record, status: 'input_required', questions: asked, keys, state, attempts: 0, updatedAt: now }
}

function freshKey(key: string, used: readonly string[]): string {
  let fresh = key
  for (let turn = 2; used.includes(fresh); turn++) fresh = `${key}-${turn}`
  return fresh
}

/** Its client answers. What is unknown or answered is left alone; with the last answer the work goes on. */
export function answer(record: TaskRecord, responses: JsonObject, now: number): TaskRecord {
  if (record.status !== 'input_required') return record
  const questions = { ...record.questions }
  for (const [key, given] of Object.entries(responses)) {
    const question = Object.hasOwn(questions, key) ? questions[key] : undefined
    if (question && !question.answer && isAnswer(given)) questions[key] = { ...question, answer: given }
  }
  const open = Object.values(questions).some(({ answer: given }) => !given)
  if (open && same(questions, record.questions)) return record
  return { ...record, questions, status: open ? 'input_required' : 'working', updatedAt: now }
}

function isAnswer(given: unknown): given is JsonObject {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}

function same(some: TaskRecord['questions'], others: TaskRecord['questions']): boolean {
  return Object.entries(some).every(([key, question]) => others[key] === question)
}

/** Nobody wants it any more. */
export function cancel(record: TaskRecord, now: number, statusMessage?: string): TaskRecord {
  if (isFinal(record.status)) return record
  const { statusMessage: _said, ...rest } = record
  return { ...rest, ...CLEARED, status: 'cancelled', updatedAt: now, ...(statusMessage !== undefined && { statusMessage }) }
}

/** The answers that the handler is run with, by the keys that it knows. */
export function answersOf({ questions }: TaskRecord): JsonObject {
  return Object.fromEntries(Object.values(questions).flatMap(({ key, answer: given }) => (given ? [[key, given]] : [])))
}
