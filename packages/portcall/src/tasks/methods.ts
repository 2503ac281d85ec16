import type { Call } from '../index.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { invalidParams } from '../protocol/errors.ts'
import type { TaskEngine } from './engine.ts'
import type { Ledger, TaskRef } from './ledger.ts'
import { answer, cancel, type TaskRecord } from './record.ts'
import { renderDetails } from './render.ts'

export interface MethodsOptions {
  readonly ledger: Ledger
  readonly engine: TaskEngine
  /** Sees to it that a task which somebody asks after is worked on. */
  readonly revive: (ref: TaskRef, record: TaskRecord) => Promise<void>
  readonly onError: (error: unknown) => void
  readonly now: () => number
}

type Serve = (params: JsonObject, call: Call) => Promise<object>

/** The methods of the extension. A task of somebody else is as unknown as one that does not exist. */
export function createMethods({ ledger, engine, revive, onError, now }: MethodsOptions): { readonly [method: string]: Serve } {
  const refOf = ({ taskId }: JsonObject, { auth }: Call): Promise<TaskRef> => {
    if (typeof taskId !== 'string' || !ID.test(taskId)) throw unknownTask()
    return ledger.refOf(auth?.principal, taskId)
  }

  return {
    async 'tasks/get'(params, call) {
      const ref = await refOf(params, call)
      const record = known(await ledger.read(ref))
      // How a task stands can be told while its engine is away; the sweep hands it on later.
      await revive(ref, record).catch(onError)
      return renderDetails(record)
    },

    async 'tasks/update'(params, call) {
      const { inputResponses } = params
      if (!isObject(inputResponses)) throw invalidParams('inputResponses has to be an object')
      const ref = await refOf(params, call)
      const record = known(await ledger.change(ref, (before) => answer(before, inputResponses, now())))
      if (goesOn(record, inputResponses)) await engine.add(ref, { ttlMs: record.ttlMs })
      return {}
    },

    async 'tasks/cancel'(params, call) {
      known(await ledger.change(await refOf(params, call), (before) => cancel(before, now())))
      return {}
    },
  }
}

const ID = /^[\w-]{1,64}$/

function known(record: TaskRecord | undefined): TaskRecord {
  if (!record) throw unknownTask()
  return record
}

function unknownTask(): Error {
  return invalidParams('there is no such task, or not any more')
}

/** Whether these answers were the last; also when they come again because nobody heard that they had arrived. */
function goesOn({ status, questions }: TaskRecord, responses: JsonObject): boolean {
  return status === 'working' && Object.keys(responses).some((key) => Object.hasOwn(questions, key))
}
