import { expect, test } from 'vitest'
import { overallRanges, withLatest } from './runs.mjs'

const EPYC = { cpu: 'AMD EPYC', node: 'v20' }
const XEON = { cpu: 'Xeon', node: 'v20' }
const ONE_CLIENT = 0
const ONE_CALL = 2

/** A group in which Portcall has a ratio to the baseline. */
const group = (id, ratio, { at, commit, machine }) => ({
  [id]: {
    at,
    commit,
    machine,
    load: { before: [1], after: [ratio] },
    rows: ['portcall', 'baseline'].map((subject) => ({
      group: id,
      cell: 'c1',
      subject,
      samples: [{ perSecond: subject === 'portcall' ? ratio : 1 }],
    })),
  },
})
const first = { at: '1', commit: 'a', machine: EPYC }
const together = { groups: { ...group('http/modern', 1, first), ...group('stdio/modern', 0.9, { ...first, at: '2' }) } }
const baselineIn = (run, row) => run.ranges[row][0]

test('groups that were measured with one commit on one machine are one run', () => {
  const [run, ...others] = withLatest([], together)
  expect(others).toEqual([])
  expect(run).toMatchObject({ at: '1', commit: 'a', cpu: 'AMD EPYC', load: [0.9, 1] })
  expect([baselineIn(run, ONE_CLIENT), baselineIn(run, ONE_CALL)]).toEqual([
    [1, 1],
    [0.9, 0.9],
  ])
})

test.each([
  ['commit', { at: '3', commit: 'b', machine: EPYC }],
  ['machine', { at: '3', commit: 'a', machine: XEON }],
])('a group that is measured again with another %s is a run of its own, and the earlier one keeps its ranges', (_, again) => {
  const recorded = withLatest([], together)
  const runs = withLatest(recorded, { groups: { ...together.groups, ...group('stdio/modern', 0.5, again) } })
  expect(runs).toHaveLength(2)
  expect(runs[0]).toEqual(recorded[0])
  expect([baselineIn(runs[1], ONE_CLIENT), baselineIn(runs[1], ONE_CALL)]).toEqual([null, [0.5, 0.5]])
  expect(overallRanges(runs)[ONE_CALL][0]).toEqual([0.5, 0.9])
})

test('a group that is measured again with the same commit on the same machine widens its range', () => {
  const again = { groups: group('stdio/modern', 0.8, { ...first, at: '4' }) }
  const runs = withLatest(withLatest([], together), again)
  expect(runs).toHaveLength(1)
  expect([baselineIn(runs[0], ONE_CLIENT), baselineIn(runs[0], ONE_CALL)]).toEqual([
    [1, 1],
    [0.8, 0.9],
  ])
})
