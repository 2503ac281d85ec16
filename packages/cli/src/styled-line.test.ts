import { expect, test } from 'vitest'
import { type LinePart, type LineStyle, renderLine } from './styled-line.ts'

const PLAIN: LineStyle = { hasColors: false, width: Number.POSITIVE_INFINITY }
const PARTS: readonly LinePart[] = [{ tone: 'bad', text: '✗' }, ' TCP connection  refuses: no program listens']

test('a line that fits stays as it is', () => {
  expect(renderLine(PARTS, PLAIN)).toBe('✗ TCP connection  refuses: no program listens')
})

test('a line is broken between words, and the rest is indented', () => {
  expect(renderLine(PARTS, { ...PLAIN, width: 30 }, 4)).toBe('✗ TCP connection  refuses: no\n    program listens')
  expect(renderLine(['a b c long/word/that/stays/whole d'], { ...PLAIN, width: 10 }, 2)).toBe(
    'a b c\n  long/word/that/stays/whole\n  d',
  )
})

test.each([10, 20, 40, 80])('no line of short words is longer than %d columns', (width) => {
  const text = 'one two three four five six seven eight nine ten '.repeat(4).trim()
  for (const line of renderLine([text], { ...PLAIN, width }, 4).split('\n')) expect(line.length).toBeLessThanOrEqual(width)
})

test('a tone is a color, and does not count as columns', () => {
  expect(renderLine(PARTS, { hasColors: true, width: 45 })).toBe(
    '\u001b[31m✗\u001b[39m TCP connection  refuses: no program listens',
  )
})

test('text of a server cannot control the terminal', () => {
  const line = renderLine(['\u001b[2Jhello\nthere', { tone: 'strong', text: '\u001b]0;title\u0007' }], PLAIN)
  expect(line).toBe('␛[2Jhello there␛]0;title␇')
})
