import type { Call, CalledTool, CallState, ExtensionHost } from '../index.ts'
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { TASK_WISH, type TaskWish } from '../protocol/tasks.ts'
import { randomId } from '../stores/seal.ts'
import { readDefinition, type TaskDefinition } from './definition.ts'
import { runAttached } from './detach.ts'
import type { TaskEngine } from './engine.ts'
import { type Ledger, RecordTooLarge, type Refusal } from './ledger.ts'
import type { TaskLimits } from './limits.ts'
import { newRecord, type TaskCall } from './record.ts'
import { renderTask } from './render.ts'
import type { CreateTaskResult } from './types.ts'

export interface CreateOptions {
  readonly host: Pick<ExtensionHost, 'declaredBy' | 'demand' | 'stateOf' | 'report'>
  readonly ledger: Ledger
  readonly engine: TaskEngine
  readonly limits: TaskLimits
  /** Whether this process has stopped: what it took in would wait for another one. */
  readonly stopped: () => boolean
  readonly now: () => number
}

type Next = () => Promise<object>

/** Stands around calls of tools: decides which of them become tasks, by the tool and by what its caller knows. */
export function createTaskCreation(options: CreateOptions): (call: Call, tool: CalledTool, next: Next) => Promise<object> {
  const { host } = options
  return async (call, tool, next) => {
    const task = readDefinition(tool.definition.task)
    const wish = (call.meta as { readonly [TASK_WISH]?: TaskWish })[TASK_WISH]
    if (wish) return await answerWish(wish, { call, tool, task, next }, options)
    if (!task) return await next()
    if (!host.declaredBy(call)) {
      if (task.support === 'required') host.demand(call)
      return await next()
    }
    if (task.support === 'optional' && options.stopped()) return await next()
    if (task.begins !== 'detach') return await create(call, task, options)
    const ended = await runAttached(call, next)
    return ended === 'detached' ? await create(call, { ...task, state: await host.stateOf(call) }, options) : ended.result
  }
}

interface Wished {
  readonly call: Call
  readonly tool: CalledTool
  readonly task: TaskDefinition | undefined
  readonly next: Next
}

/** Answers a caller of an older revision, where the caller decides. */
async function answerWish(wish: TaskWish, { call, tool, task, next }: Wished, options: CreateOptions): Promise<object> {
  if (wish === 'never') return await next()
  if (wish === 'plain') {
    if (task?.support !== 'required') return await next()
    throw new RpcError(ErrorCode.methodNotFound, `The tool ${tool.name} has to be called as a task`)
  }
  if (!task) throw new RpcError(ErrorCode.methodNotFound, `The tool ${tool.name} cannot be called as a task`)
  const { ttlMs = task.ttlMs } = wish
  return await create(call, { ...task, ...(ttlMs !== undefined && { ttlMs }) }, options)
}

/** What a task is made by, and what its handler remembers of the time before. */
interface Begun extends TaskDefinition {
  readonly state?: CallState
}

const NOTHING: CallState = { round: 0, answers: {}, steps: {}, asked: {} }

/** Makes a task of a call: first it is there for good, then its caller hears of it. What the engine does not take the sweep hands on later. */
async function create(call: Call, task: Begun, options: CreateOptions): Promise<CreateTaskResult> {
  const { host, ledger, engine, limits, now } = options
  if (options.stopped()) throw new RpcError(ErrorCode.internalError, 'This server is stopping: it takes no more tasks in')
  const ttlMs = Math.max(1, Math.min(Math.trunc(task.ttlMs ?? limits.ttlMs), limits.maxTtlMs))
  const record = newRecord(
    {
      id: randomId(18),
      ...(call.auth && { principal: call.auth.principal }),
      call: taskCall(call),
      ttlMs,
      pollIntervalMs: task.pollIntervalMs ?? limits.pollIntervalMs,
      state: task.state ?? NOTHING,
    },
    now(),
  )
  const refusal = await ledger.create(record).catch(tooLarge)
  if (refusal) throw tooMany(refusal, limits)
  await engine.add(await ledger.refOf(record.principal, record.id), { ttlMs }).catch(host.report)
  return { resultType: 'task', ...renderTask(record) }
}

/** What is run: the request without what belongs to one of its rounds. */
function taskCall({ request, auth }: Call): TaskCall {
  const { inputResponses, requestState, ...params } = request.params as JsonObject
  return { method: request.method, params, ...(auth && { auth }) }
}

function tooMany(refusal: Refusal, limits: TaskLimits): RpcError {
  const whose = refusal === 'maxTasks' ? 'This server' : 'This caller'
  return new RpcError(ErrorCode.internalError, `Too many tasks: ${whose} has ${limits[refusal]} unfinished ones`)
}

/** What was called has too much to keep, which is the caller's to know. */
function tooLarge(error: unknown): never {
  throw error instanceof RecordTooLarge ? new RpcError(ErrorCode.internalError, error.message) : error
}
