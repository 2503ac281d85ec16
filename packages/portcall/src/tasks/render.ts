import type { InputRequest } from '../protocol/types.ts'
import type { TaskRecord } from './record.ts'
import type { DetailedTask, Task } from './types.ts'

/** What every task is told as. */
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

/** A task with what belongs to its status: its open questions, its result or its error. */
export function renderDetails(record: TaskRecord): DetailedTask {
  const task = renderTask(record)
  const { status, result, error } = record
  if (status === 'input_required') return { ...task, status, inputRequests: openQuestions(record) }
  if (status === 'completed') return { ...task, status, result: result ?? {} }
  if (status === 'failed') return { ...task, status, error: error ?? { code: -32603, message: 'Internal error' } }
  return { ...task, status }
}

function openQuestions({ questions }: TaskRecord): { [key: string]: InputRequest } {
  const open = Object.entries(questions).filter(([, { answer }]) => !answer)
  return Object.fromEntries(open.map(([key, { question }]) => [key, question]))
}
