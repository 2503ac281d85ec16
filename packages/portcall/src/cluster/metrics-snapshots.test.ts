import { expect, test } from 'vitest'
import { createMetricsSnapshots } from './metrics-snapshots.ts'

const metric = (name: string, type: string, value: number, tool = 'a') => ({ name, type, values: [{ value, labels: { tool } }] })

test('the counters of a worker that has ended stay, and its gauges do not', () => {
  const snapshots = createMetricsSnapshots()
  const [first, second, third] = [{}, {}, {}]
  snapshots.update(first, [metric('calls', 'counter', 3), metric('open', 'gauge', 7)])
  snapshots.update(second, [metric('calls', 'counter', 4)])
  snapshots.end(first)
  expect(snapshots.all()).toEqual([[metric('calls', 'counter', 4)], [metric('calls', 'counter', 3)]])
  snapshots.update(third, [metric('calls', 'counter', 5), metric('calls', 'counter', 1, 'b')])
  snapshots.end(third)
  snapshots.end(second)
  const [ended] = snapshots.all() as Array<Array<{ values: Array<{ value: number; labels: { tool: string } }> }>>
  expect(ended?.[0]?.values).toEqual([
    { value: 12, labels: { tool: 'a' } },
    { value: 1, labels: { tool: 'b' } },
  ])
})

test('a worker that does not respond keeps its latest snapshot, and nothing else is taken for one', () => {
  const snapshots = createMetricsSnapshots()
  const worker = {}
  snapshots.update(worker, [metric('calls', 'counter', 3)])
  for (const nothing of [undefined, null, 'text', [1], [{ name: 'x' }]]) snapshots.update(worker, nothing)
  expect(snapshots.all()).toEqual([[metric('calls', 'counter', 3)]])
  snapshots.end({})
  expect(snapshots.all()).toHaveLength(1)
})
