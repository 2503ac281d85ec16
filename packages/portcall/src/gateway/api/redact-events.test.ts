import { expect, test } from 'vitest'
import { growthOf, PIECES } from '../../../test-kit/growth.ts'
import { redactEvents } from './redact-events.ts'

/** Returns an event that names a text, as it is shown. */
function shown(text: string): string {
  let line = ''
  const show = redactEvents((event) => void (line = JSON.stringify(event)))
  show({ type: 'item-dropped', server: 'a', kind: 'resource', name: `x://${text}`, reason: '' })
  return line
}

test('secrets in events are found in linear time', () => {
  const slow = PIECES.filter((piece) => growthOf(shown, (size) => `a${piece.repeat(size / piece.length)}b`) > 3)
  expect(slow).toEqual([])
})
