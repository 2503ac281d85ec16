import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { startSoon } from '../../../../util/src/timers.ts'
import { applyMiddleware, type Middleware } from '../../jsonrpc/exchange.ts'
import { TASK_SUPPORT, TASKS_EXTENSION } from '../../protocol/tasks.ts'
import { defineServerExtension } from '../../server/define-extension.ts'
import type { ServerExtension } from '../../server/extension.ts'
import type { Bus } from '../../stores/bus.ts'
import { decorateBus, decorateStore, timeoutDecorator } from '../../stores/decorate.ts'
import { createFutureLeases } from '../../stores/future-leases.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { TaskQueue } from '../queues/queue.ts'
import { createStoreQueue } from '../queues/store-queue.ts'
import { createTaskStore } from '../store/task-store.ts'
import { createWorkerLifecycle } from '../worker/lifecycle.ts'
import { createRequeuer } from '../worker/requeue.ts'
import type { Dispatch } from '../worker/run-task.ts'
import { createWorker } from '../worker/worker.ts'
import { createTaskMiddleware } from './create-task.ts'
import { normalizeTaskDefinition } from './definition.ts'
import { TASK_LIMITS, type TaskLimits } from './limits.ts'
import { createTaskMethods } from './methods.ts'
import { createTaskAccess } from './task-access.ts'
import { createTasksApi, type Tasks } from './tasks-api.ts'
import { withNotifications } from './with-notifications.ts'

const NAMES: OptionNames<TasksOptions> = {
  store: 'store',
  bus: 'object',
  queue: 'object',
  runWorker: 'boolean',
  limits: 'object',
  middleware: 'functions',
  now: 1,
}

/** How tasks are stored and run. */
export interface TasksOptions {
  /** Where tasks are stored. Default: the store of the server, by default the memory of this process. */
  readonly store?: KeyValueStore
  /** Notifies the processes of one service of changes. Default: the bus of the server. */
  readonly bus?: Bus
  /** Delivers tasks to workers. Default: a queue in the store, which suits the processes of one machine. */
  readonly queue?: TaskQueue
  /** True if this process runs tasks. If not, it only creates them for other processes. Default: true. */
  readonly runWorker?: boolean
  /** Limits on sizes, counts and times of tasks. */
  readonly limits?: Partial<TaskLimits>
  /**
   * Middleware for each run of a task: it sees the call that became the task. The middleware of the server runs once, when the task is created.
   * The first is the outermost.
   */
  readonly middleware?: readonly Middleware[]
  /** Returns the current time in milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * Creates the server side of the tasks extension: calls of tools can become tasks, which continue after the client has disconnected and after
 * their process has failed.
 *
 * @example
 * const server = createServer({ name: 'reports', version: '1.0.0' }, { stores, extensions: [tasks()] })
 * server.tool('render', { task: 'optional' }, async (_, call) => call.step('render', renderAll))
 */
export function tasks(options: TasksOptions = {}): ServerExtension<'tasks', Tasks> {
  checkOptions('tasks()', options, { names: NAMES, advice: { stores: 'Use "store" and "bus"' } })
  checkOptions('tasks(): limits', options.limits ?? {}, { names: TASK_LIMITS })
  return defineServerExtension({
    id: TASKS_EXTENSION,
    name: 'tasks',
    legacy: false,
    setup(context) {
      const { now = Date.now, runWorker = true } = options
      const limits = { ...TASK_LIMITS, ...options.limits }
      const { leaseTtlMs, sweepIntervalMs, maxClockSkewMs, concurrency } = limits
      const withTimeout = timeoutDecorator(limits.storeTimeoutMs)
      const store = decorateStore(options.store ?? context.store, withTimeout)
      const bus = decorateBus(options.bus ?? context.bus, withTimeout)
      const { queue = createStoreQueue({ store, bus }) } = options
      const onError = context.reportError
      const taskStore = withNotifications(createTaskStore({ store, bus, limits, now }), context)
      const access = createTaskAccess(taskStore, context)
      const { middleware: runMiddleware = [] } = options
      const dispatch: Dispatch = (request, runContext, stateStore) =>
        applyMiddleware((inner, innerContext) => context.dispatch(inner, innerContext, stateStore), runMiddleware)(
          request,
          runContext,
        )
      const lease = { store, leaseTtlMs, futureLeases: createFutureLeases(maxClockSkewMs) }
      const onWarning = context.reportWarning
      const worker = createWorker({ taskStore, lease, now, dispatch, onError, onWarning, ...limits })
      const requeuer = createRequeuer({ store, taskStore, queue, leaseTtlMs, sweepIntervalMs, maxClockSkewMs, onError, now })
      const lifecycle = createWorkerLifecycle({ queue, worker, requeuer, concurrency, onError })
      const start = runWorker ? lifecycle.start : () => {}
      const middleware = createTaskMiddleware({ context, taskStore, queue, limits, isStopped: () => lifecycle.isStopped, now })

      for (const [method, handler] of Object.entries(createTaskMethods({ taskStore, access, queue, requeuer, onError, now })))
        context.method(method, { nameParam: 'taskId' }, handler)
      context.useToolMiddleware((call, tool, next) => {
        start()
        return middleware(call, tool, next)
      })
      context.extendToolListing(({ task }) => ({ [TASK_SUPPORT]: normalizeTaskDefinition(task)?.support }))
      context.handleSubscriptionFilter('taskIds', access.filterSubscribable)
      context.onClose(() => void lifecycle.stop(0).catch(onError))
      startSoon(start)
      return createTasksApi({ queue, taskStore, worker, lifecycle, now })
    },
  })
}
