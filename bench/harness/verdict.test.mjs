import { expect, test } from 'vitest'
import { median, ratioOf } from './statistics.mjs'
import { judge } from './verdict.mjs'

const samples = (...values) => values.map((perSecond) => ({ perSecond }))
const row = (subject, cell, ...values) => ({ group: 'g', cell, subject, samples: samples(...values) })
const results = {
  groups: {
    g: {
      rows: [row('baseline', 'a', 100, 200, 50), row('portcall', 'a', 95, 180, 45), row('portcall', 'b', 95, 90, 100)],
    },
  },
}
const verdict = (target) => judge([{ title: 't', groups: ['g'], cells: ['a'], metric: 'perSecond', ...target }], results)[0]

test('ratios are made round by round, and the one in the middle counts', () => {
  expect(ratioOf(samples(95, 180, 45), samples(100, 200, 50), 'perSecond')).toBeCloseTo(0.9)
  expect(ratioOf([{ perSecond: 1 }, null], [null, { perSecond: 1 }], 'perSecond')).toBeUndefined()
  expect(median([3, 1, 2, 10])).toBe(2.5)
})

test.each([
  ['a ratio to another subject', { to: 'baseline', least: 0.9 }, 0.9, true],
  ['a ratio to another cell', { toCell: 'b', least: 1.05 }, 1, false],
  ['a difference', { over: 'baseline', most: 0 }, -5, true],
  ['a figure of its own', { most: 94 }, 95, false],
])('a target may be %s', (_, target, figure, met) => {
  expect(verdict(target)).toMatchObject({ figure, met })
})

test('what was not measured is neither met nor missed', () => {
  expect(verdict({ to: 'tmcp', least: 6 })).not.toHaveProperty('met')
  expect(verdict({ cells: ['c'], to: 'baseline', least: 1 })).not.toHaveProperty('met')
})
