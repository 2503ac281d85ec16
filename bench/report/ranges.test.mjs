import { expect, test } from 'vitest'
import { rangeOf, ratiosOf, shownRange } from './ranges.mjs'

const row = (group, cell, subject, values) => ({
  group,
  cell,
  subject,
  samples: values.map((perSecond) => perSecond && { perSecond }),
})
const RESULTS = {
  groups: {
    a: {
      rows: [row('a', 'c1', 'portcall', [10, 20, null]), row('a', 'c1', 'other', [5, 5, 5]), row('a', 'c2', 'portcall', [1])],
    },
    b: { rows: [row('b', 'c1', 'portcall', [30]), row('b', 'c1', 'other', [10])] },
  },
}

test('each cell has the median ratio of its turns, over several groups', () => {
  expect(ratiosOf(RESULTS, { groups: ['a', 'b', 'c'], cells: ['c1'], subject: 'other', metric: 'perSecond' })).toEqual([3, 3])
  expect(ratiosOf(RESULTS, { groups: ['a'], cells: ['c1'], subject: 'none', metric: 'perSecond' })).toEqual([])
})

test('a range goes from the lowest to the highest ratio', () => {
  expect(rangeOf([2, 9, 3])).toEqual([2, 9])
  expect(rangeOf([])).toBeUndefined()
})

test.each([
  [[0.94, 1.13], '0.9–1.2×'],
  [[1.1, 1.1], '1.1×'],
  [[2.97, 8.2], '2.9–9×'],
  [[13.7, 28.2], '13–30×'],
  [undefined, '–'],
])('%j is shown as %s', (range, expected) => {
  expect(shownRange(range)).toBe(expected)
})
