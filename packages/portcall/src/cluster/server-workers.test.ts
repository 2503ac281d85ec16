import { expect, test } from 'vitest'
import { eventually } from '../../test-kit/eventually.ts'
import { createServerWorkers } from './server-workers.ts'
import type { WorkerProcess, WorkerProcessOptions } from './worker-process.ts'

test('a worker that ends is started again under the same number, and the report has no frames of the supervisor', async () => {
  const started: Array<{ number: number; callbacks: Omit<WorkerProcessOptions, 'settings'> }> = []
  const errors: Error[] = []
  const worker = {
    pid: 1,
    backlog: 0,
    accept() {},
    takeSnapshot: async () => undefined,
    stopReadiness() {},
    close() {},
    kill() {},
  } satisfies WorkerProcess
  const workers = createServerWorkers({
    count: 2,
    start(number, callbacks) {
      started.push({ number, callbacks })
      return worker
    },
    onError: (error) => errors.push(error),
  })
  for (const { callbacks } of started) callbacks.onReady()
  await workers.ready
  started[1]!.callbacks.onExit({ worker, reason: 'SIGKILL', unaccepted: [] })
  await eventually(() => expect(started.map(({ number }) => number)).toEqual([1, 2, 2]))
  expect(errors.map(({ stack }) => stack)).toEqual([
    expect.stringMatching(/^Error: Worker 2 ended with SIGKILL\. It is started again in \d+ ms$/),
  ])
  const closed = workers.close(1000)
  for (const { callbacks } of [started[0]!, started[2]!]) callbacks.onExit({ worker, reason: 0, unaccepted: [] })
  await closed
})
