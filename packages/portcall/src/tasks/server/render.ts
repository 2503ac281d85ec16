import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { InputRequest } from '../../protocol/input-types.ts'
import type { TaskRecord } from '../store/record.ts'
import type { DetailedTask, Task } from '../types.ts'

/** Converts a record to the members that every task has on the wire. */
export function renderTask(record: TaskRecord): Task {
  const { id, status, statusMessage, createdAt, updatedAt, ttlMs, pollIntervalMs } = record
  return {
    taskId: id,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  }
}

/** Converts a record to a task with the members of its status: its pending input requests, its result or its error. */
export function renderDetailedTask(record: TaskRecord): DetailedTask {
  const task = renderTask(record)
  const { status, result, error } = record
  if (status === 'input_required') return { ...task, status, inputRequests: pendingInputRequests(record) }
  if (status === 'completed') return { ...task, status, result: result ?? {} }
  if (status === 'failed')
    return { ...task, status, error: error ?? { code: ErrorCode.internalError, message: 'Internal error' } }
  return { ...task, status }
}

function pendingInputRequests({ questions }: TaskRecord): { [key: string]: InputRequest } {
  const pending = Object.entries(questions).filter(([, { answer }]) => !answer)
  return Object.fromEntries(pending.map(([key, { question }]) => [key, question]))
}
