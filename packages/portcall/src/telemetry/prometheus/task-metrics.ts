import prometheus, { type Registry } from 'prom-client'
import type { Middleware } from '../../jsonrpc/exchange.ts'
import { operationOf } from '../../logging/operation.ts'
import { DURATION_BUCKETS } from '../duration-buckets.ts'
import { createMeasuringMiddleware } from './measure.ts'

/** The parts of a task queue that are measured. */
interface MeasuredQueue {
  enqueue(ref: string, options: never): Promise<void>
  process(processor: (ref: string) => Promise<'done' | 'retry'>, options: never): Promise<void>
  close(): Promise<void>
}

/** Measures tasks. */
export interface TaskMetrics {
  /** Measures the runs of tasks: `tasks({ middleware: [metrics.tasks.middleware] })`. */
  readonly middleware: Middleware
  /** Returns a queue that counts what is added and delivered: `tasks({ queue: metrics.tasks.queue(queue) })`. */
  queue<Q extends MeasuredQueue>(queue: Q): Q
}

/** Creates the metrics of tasks. */
export function createTaskMetrics(registry: Registry): TaskMetrics {
  const registers = [registry]
  const runs = new prometheus.Histogram({
    name: 'portcall_task_run_duration_seconds',
    help: 'The duration of the runs of tasks.',
    labelNames: ['gen_ai_tool_name', 'error_type'],
    buckets: [...DURATION_BUCKETS],
    registers,
  })
  const running = new prometheus.Gauge({ name: 'portcall_tasks_running', help: 'Runs of tasks in progress.', registers })
  const enqueued = new prometheus.Counter({
    name: 'portcall_task_queue_enqueued_total',
    help: 'Tasks that this process added to the queue.',
    registers,
  })
  const delivered = new prometheus.Counter({
    name: 'portcall_task_queue_delivered_total',
    help: 'Tasks that the queue delivered to this process, by what became of them: done, retry or error.',
    labelNames: ['outcome'],
    registers,
  })
  return {
    middleware: createMeasuringMiddleware(running, ({ request, outcome: { errorType = '' }, seconds }) =>
      runs.observe({ gen_ai_tool_name: operationOf(request).target ?? '', error_type: errorType }, seconds),
    ),
    queue: (queue) => ({
      ...queue,
      enqueue: (ref, options) => queue.enqueue(ref, options).then(() => enqueued.inc()),
      process(processor, options) {
        const counted = async (ref: string): Promise<'done' | 'retry'> => {
          const outcome = await processor(ref).catch((error: unknown) => {
            delivered.inc({ outcome: 'error' })
            throw error
          })
          delivered.inc({ outcome })
          return outcome
        }
        return queue.process(counted, options)
      },
      close: () => queue.close(),
    }),
  }
}
