import { createHistogram } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { formatBench, toBenchJson } from './report.ts'

test('a measurement that was interrupted before it started has a rate of 0', () => {
  const subject = { call: 'tools/call add', protocolVersion: '2026-07-28', connections: 1, perSecond: undefined }
  const measurement = { seconds: 0, calls: 0, failures: new Map(), latency: createHistogram(), unsent: 0 }
  expect(formatBench(subject, measurement)).toEqual([
    'tools/call add, 2026-07-28, 1 connection, as fast as possible',
    'calls    0 in 0 s: 0 per second',
    'errors   none',
  ])
  expect(toBenchJson(subject, measurement)).toMatchObject({ calls: 0, callsPerSecond: 0 })
})
