import { extension, type ServerExtension } from '../index.ts'
import { TASK_SUPPORT, TASKS_EXTENSION } from '../protocol/tasks.ts'
import { aroundBus, aroundStore } from '../stores/around.ts'
import type { Bus } from '../stores/bus.ts'
import type { Store } from '../stores/store.ts'
import { timely } from '../stores/within.ts'
import { createTaskCreation } from './create.ts'
import { readDefinition } from './definition.ts'
import type { TaskEngine } from './engine.ts'
import { createLedger } from './ledger.ts'
import { TASK_LIMITS, type TaskLimits } from './limits.ts'
import { createMethods } from './methods.ts'
import { createOperator, type Tasks } from './operator.ts'
import { createPublishing } from './publish.ts'
import { createRevival } from './revive.ts'
import { beginSoon, createShift } from './shift.ts'
import { createStoreEngine } from './store-engine.ts'
import { createSweep } from './sweep.ts'
import { createWorker } from './worker.ts'

/** How tasks are kept and run. */
export interface TasksOptions {
  /** Where tasks rest. Default: the store of the server, which without one is the memory of this process. */
  readonly store?: Store
  /** How the nodes of one service tell each other of changes. Default: the bus of the server. */
  readonly bus?: Bus
  /** What brings tasks to workers. Default: a queue in the store, which is enough for one machine. */
  readonly engine?: TaskEngine
  /** Whether this process works on tasks; otherwise it only takes them in, for others. Default: true. */
  readonly work?: boolean
  readonly limits?: Partial<TaskLimits>
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * Lets calls of tools become tasks: work that goes on when its caller hangs up and when its process dies.
 *
 * @example
 * const server = createServer({ name: 'reports', version: '1.0.0' }, { store, extensions: [tasks()] })
 * server.tool('render', { task: 'optional' }, async (_, call) => call.step('render', renderAll))
 */
export function tasks(options: TasksOptions = {}): ServerExtension<'tasks', Tasks> {
  return extension({
    id: TASKS_EXTENSION,
    name: 'tasks',
    legacy: false,
    serve(host) {
      const { now = Date.now, work = true } = options
      const limits = { ...TASK_LIMITS, ...options.limits }
      const inTime = timely(limits.storeTimeoutMs)
      const store = aroundStore(options.store ?? host.store, inTime)
      const bus = aroundBus(options.bus ?? host.bus, inTime)
      const { engine = createStoreEngine({ store, bus }) } = options
      const ledger = createPublishing(createLedger({ store, bus, limits, now }), host)
      const lease = { store, leaseMs: limits.leaseMs }
      const worker = createWorker({ ledger, lease, now, perform: host.run, ...limits })
      const onError = host.report
      const revive = createRevival({ ledger, engine, store, leaseMs: limits.leaseMs, now })
      const sweep = createSweep({ store, ledger, revive, sweepMs: limits.sweepMs, onError })
      const shift = createShift({ engine, worker, sweep, concurrency: limits.concurrency, onError })
      const begin = work ? shift.begin : () => {}
      const create = createTaskCreation({ host, ledger, engine, limits, stopped: () => shift.ended, now })

      for (const [method, serve] of Object.entries(createMethods({ ledger, engine, revive, onError, now })))
        host.method(method, { nameParam: 'taskId' }, serve)
      host.aroundTool((call, tool, next) => {
        begin()
        return create(call, tool, next)
      })
      host.describeTool(({ task }) => ({ [TASK_SUPPORT]: readDefinition(task)?.support }))
      host.listen('taskIds', ledger.admit)
      host.onClose(() => void shift.end(0).catch(host.report))
      beginSoon(begin)
      return createOperator({ ledger, worker, shift, now })
    },
  })
}
