import { randomId } from '../../../../util/src/random.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { retryData } from '../../jsonrpc/retryable.ts'
import { TASK_PREFERENCE, type TaskPreference } from '../../protocol/tasks.ts'
import type { Call } from '../../server/call.ts'
import type { ServerExtensionContext, ToolInfo } from '../../server/extension.ts'
import type { RequestState } from '../../server/input-requests/request-state.ts'
import type { TaskQueue } from '../queues/queue.ts'
import { createRecord, type TaskCall } from '../store/record.ts'
import { type ExceededTaskLimit, TaskRecordTooLargeError, type TaskStore } from '../store/task-store.ts'
import type { CreateTaskResult } from '../types.ts'
import { normalizeTaskDefinition, type TaskDefinition } from './definition.ts'
import { runAttached } from './detach.ts'
import type { TaskLimits } from './limits.ts'
import { renderTask } from './render.ts'

export interface TaskMiddlewareOptions {
  readonly context: Pick<
    ServerExtensionContext,
    'capabilityOf' | 'requireCapability' | 'requestStateOf' | 'reportStart' | 'reportError'
  >
  readonly taskStore: TaskStore
  readonly queue: TaskQueue
  readonly limits: TaskLimits
  /** Reports whether this process has stopped working on tasks. New tasks would have to wait for another process. */
  readonly isStopped: () => boolean
  readonly now: () => number
}

type Next = () => Promise<object>

/** Creates the tool middleware that turns calls into tasks, depending on the tool and on the capabilities of the client. */
export function createTaskMiddleware(
  options: TaskMiddlewareOptions,
): (call: Call, tool: ToolInfo, next: Next) => Promise<object> {
  const { context } = options
  return async (call, tool, next) => {
    const definition = normalizeTaskDefinition(tool.definition.task)
    const preference = (call.meta as { readonly [TASK_PREFERENCE]?: TaskPreference })[TASK_PREFERENCE]
    if (preference) return await followPreference(preference, { call, tool, definition, next }, options)
    if (!definition) return await next()
    if (!context.capabilityOf(call)) {
      if (definition.support === 'required') context.requireCapability(call)
      return await next()
    }
    if (definition.support === 'optional' && options.isStopped()) return await next()
    if (definition.createAt !== 'detach') return await createTask(call, definition, options)
    const outcome = await runAttached(call, next)
    if (outcome !== 'detached') return outcome.result
    return await createTask(call, { ...definition, state: await context.requestStateOf(call) }, options)
  }
}

interface ToolCall {
  readonly call: Call
  readonly tool: ToolInfo
  readonly definition: TaskDefinition | undefined
  readonly next: Next
}

/** Handles a call of a client of an older revision, in which the client decides whether a call becomes a task. */
async function followPreference(
  preference: TaskPreference,
  { call, tool, definition, next }: ToolCall,
  options: TaskMiddlewareOptions,
): Promise<object> {
  if (preference === 'unsupported') return await next()
  if (preference === 'not-requested') {
    if (definition?.support !== 'required') return await next()
    throw new RpcError(ErrorCode.methodNotFound, `The tool ${tool.name} must be called as a task`)
  }
  if (!definition) throw new RpcError(ErrorCode.methodNotFound, `The tool ${tool.name} cannot be called as a task`)
  const { ttlMs = definition.ttlMs } = preference
  return await createTask(call, { ...definition, ...(ttlMs !== undefined && { ttlMs }) }, options)
}

/** The definition of a task, and the request state of its handler if the call was detached. */
interface TaskSource extends TaskDefinition {
  readonly state?: RequestState
}

const INITIAL_STATE: RequestState = { roundTrips: 0, inputResponses: {}, steps: {}, inputRequests: {} }

/**
 * Creates a task from a call. The task is stored before the client receives it. If the queue is unavailable, the requeuer enqueues the task
 * later.
 */
async function createTask(call: Call, source: TaskSource, options: TaskMiddlewareOptions): Promise<CreateTaskResult> {
  const { context, taskStore, queue, limits, now } = options
  if (options.isStopped())
    throw new RpcError(ErrorCode.internalError, 'The server is shutting down and does not accept new tasks', retryData())
  const ttlMs = Math.max(1, Math.min(Math.trunc(source.ttlMs ?? limits.ttlMs), limits.maxTtlMs))
  const record = createRecord(
    {
      id: randomId(18),
      ...(call.auth && { principal: call.auth.principal }),
      call: toTaskCall(call),
      ttlMs,
      pollIntervalMs: source.pollIntervalMs ?? limits.pollIntervalMs,
      state: source.state ?? INITIAL_STATE,
    },
    now(),
  )
  const exceededLimit = await taskStore.create(record).catch((error: unknown) => {
    const known = throwIfTooLarge(error)
    // The record may have been written.
    context.reportStart(call)
    throw known
  })
  if (exceededLimit) throw tooManyTasks(exceededLimit, limits)
  await queue.enqueue(await taskStore.refOf(record.principal, record.id), { ttlMs }).catch(context.reportError)
  return { resultType: 'task', ...renderTask(record) }
}

/** Returns the request without the params that belong to a single round trip. */
function toTaskCall({ request, auth }: Call): TaskCall {
  const { inputResponses, requestState, ...params } = request.params as JsonObject
  return { method: request.method, params, ...(auth && { auth }) }
}

function tooManyTasks(limit: ExceededTaskLimit, limits: TaskLimits): RpcError {
  const owner = limit === 'maxTasks' ? 'This server' : 'This caller'
  return new RpcError(ErrorCode.internalError, `Too many tasks: ${owner} has ${limits[limit]} unfinished ones`)
}

/** Discloses to the client that its request is too large to be stored. Returns other errors. */
function throwIfTooLarge(error: unknown): unknown {
  if (error instanceof TaskRecordTooLargeError) throw new RpcError(ErrorCode.internalError, error.message)
  return error
}
