/** The record of what happens in one view. */
import type { AppEvent } from '../../apps/host/types.ts'
import type { Message } from '../../jsonrpc/message.ts'
import type { PageEvent } from '../page/show-view.ts'
import type { CspViolation } from '../server/violations.ts'
import type { ViewFailure, ViewMessage } from './measures.ts'

/** The most entries of one kind. A view that fails in a loop would fill the memory. */
const MAX_ENTRIES = 10_000
const MAX_ERRORS = 500
const MAX_ERROR_LENGTH = 2000

/** The events so far. Its owner is the view that is tested. */
export interface ViewRecord {
  readonly messages: ViewMessage[]
  readonly events: AppEvent[]
  readonly consoleErrors: string[]
  readonly violations: CspViolation[]
  /** How often the console named the policy. */
  policyMessages: number
  failure: ViewFailure | undefined
  readyMs: number | undefined
  /** The ids of requests of the view without an answer. */
  readonly pending: Set<unknown>
  /** When something happened last: milliseconds since the start. */
  changedMs: number
}

/** Takes what happens. */
export interface Recorder {
  readonly record: ViewRecord
  /** Milliseconds since the start. */
  elapsed(): number
  /** Takes an event of the page, as JSON. */
  takeEvent(json: string): void
  /** Takes an exception that nobody caught. */
  takeException(text: string): void
  /** Takes an error of the console. What the browser says about the policy counts as a violation. */
  takeError(text: string): void
  /** Takes a blocked attempt. */
  takeViolation(violation: CspViolation): void
}

/** Creates the record of a view that is about to be shown. `onDone` is called once the view is connected, or cannot be shown. */
export function createRecorder(onDone: () => void): Recorder {
  const start = performance.now()
  const record: ViewRecord = {
    messages: [],
    events: [],
    consoleErrors: [],
    violations: [],
    policyMessages: 0,
    pending: new Set(),
    failure: undefined,
    readyMs: undefined,
    changedMs: 0,
  }
  const elapsed = (): number => Math.round(performance.now() - start)
  const add = <T>(list: T[], entry: T, max = MAX_ENTRIES): void => {
    record.changedMs = elapsed()
    if (list.length < max) list.push(entry)
  }
  const takeMessage = (from: ViewMessage['from'], message: Message): void => {
    if ('id' in message && from === 'view' && 'method' in message) record.pending.add(message.id)
    if ('id' in message && from === 'host' && !('method' in message)) record.pending.delete(message.id)
    add(record.messages, { from, message, atMs: elapsed() })
  }
  const takeException = (text: string): void => add(record.consoleErrors, text.slice(0, MAX_ERROR_LENGTH), MAX_ERRORS)
  return {
    record,
    elapsed,
    takeEvent(json) {
      const event = JSON.parse(json) as PageEvent
      if (event.type === 'mode') return
      if (event.type === 'message') return takeMessage(event.from, event.message)
      add(record.events, event)
      if (event.type === 'state' && event.state === 'ready') {
        record.readyMs ??= elapsed()
        onDone()
      }
      if (event.type === 'error' && isFailure(event.error)) {
        record.failure ??= event.error
        onDone()
      }
    },
    takeException,
    takeError(text) {
      if (/Content Security Policy/i.test(text)) record.policyMessages += 1
      else takeException(text)
    },
    takeViolation: (violation) => add(record.violations, violation, MAX_ERRORS),
  }
}

const isFailure = (error: unknown): error is ViewFailure =>
  typeof error === 'object' && error !== null && typeof (error as ViewFailure).code === 'string'
