import { createHistogram } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { formatBench, toBenchJson } from './report.ts'

test('a measurement that was interrupted before it started has a rate of 0', () => {
  const subject = { call: 'tools/call add', protocolVersion: '2026-07-28', connections: 1, perSecond: undefined }
  const measurement = {
    seconds: 0,
    calls: 0,
    failures: new Map(),
    latency: createHistogram(),
    unsent: 0,
    pending: 0,
    longestWaitMs: 0,
  }
  expect(formatBench(subject, measurement)).toEqual([
    'tools/call add, 2026-07-28, 1 connection, as fast as possible',
    'calls    0 in 0 s: 0 per second',
    'errors   none',
  ])
  expect(toBenchJson(subject, measurement)).toMatchObject({ calls: 0, callsPerSecond: 0 })
})

test('calls without a response are named if one of them has waited longer than every call that ended', () => {
  const subject = { call: 'tools/call add', protocolVersion: '2026-07-28', connections: 2, perSecond: undefined }
  const latency = createHistogram()
  latency.record(5_000_000)
  const measurement = { seconds: 1, calls: 1, failures: new Map(), latency, unsent: 0, pending: 2 }
  expect(formatBench(subject, { ...measurement, longestWaitMs: 4 }).join()).not.toContain('pending')
  expect(formatBench(subject, { ...measurement, longestWaitMs: 1200 })).toContain(
    'pending  2 without a response at the end, for up to 1.2 s',
  )
  expect(toBenchJson(subject, { ...measurement, longestWaitMs: 4 })).toMatchObject({ pending: 2, longestWaitMs: 4 })
})
