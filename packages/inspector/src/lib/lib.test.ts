import { describe, expect, test } from 'vitest'
import { formatBytes, formatDuration, plural } from './format.ts'
import { filterBy } from './fuzzy.ts'
import { countHidden, splitHidden } from './hidden-characters.ts'
import { fillTemplate, templateVariables } from './uri-template.ts'

describe('hidden characters', () => {
  test.each<[string, string, number]>([
    ['zero-width space', 'pass\u200bword', 1],
    ['right-to-left override', 'abc\u202etxt.exe', 1],
    ['tags that spell a message', 'hi\u{e0068}\u{e0069}', 2],
    ['escape character', 'a\u001b[31mred', 1],
    ['byte order mark', '\ufefftext', 1],
    ['unpaired surrogate', 'a\ud800b', 1],
  ])('shows a %s', (_name, text, count) => {
    expect(countHidden(text)).toBe(count)
  })

  test.each(['plain', 'two\nlines\tand tabs\r\n', 'naïve café 你好 שלום', '👩‍👩‍👧 and 👍🏽 and ❤️', ''])(
    'leaves visible text alone: %j',
    (text) => {
      expect(countHidden(text)).toBe(0)
      expect(
        splitHidden(text)
          .map((part) => ('text' in part ? part.text : ''))
          .join(''),
      ).toBe(text)
    },
  )

  test('names what is hidden, and keeps the rest', () => {
    expect(splitHidden('a\u202eb')).toEqual([{ text: 'a' }, { hidden: 'U+202E', name: 'right-to-left override' }, { text: 'b' }])
    expect(splitHidden('\u{e0061}')).toEqual([{ hidden: 'U+E0061', name: 'tag a' }])
  })
})

describe('URI templates', () => {
  test.each<[string, Record<string, string>, string]>([
    ['file:///{path}', { path: 'a b/c' }, 'file:///a%20b%2Fc'],
    ['file:///{+path}', { path: 'a b/c' }, 'file:///a%20b/c'],
    ['/search{?q,lang}', { q: 'x y', lang: 'en' }, '/search?q=x%20y&lang=en'],
    ['/search{?q,lang}', { lang: 'en' }, '/search?lang=en'],
    ['/search{?q,lang}', { q: '', lang: 'en' }, '/search?lang=en'],
    ['/search{?q}', { q: "it's 💡\ud800" }, '/search?q=it%27s%20%F0%9F%92%A1%EF%BF%BD'],
    ['/100%25/{+path}', { path: '%41%zz' }, '/100%25/%41%25zz'],
    ['/{broken', { broken: 'x' }, '/{broken'],
    ['/{not valid}', { 'not valid': 'x' }, '/{not valid}'],
    ['{/a,b}', { a: '1', b: '2' }, '/1/2'],
    ['{x:3}{y*}', { x: 'abcdef', y: '1' }, 'abc1'],
    ['/a{#frag}', { frag: 'b/c' }, '/a#b/c'],
    ['/plain', {}, '/plain'],
  ])('%s', (template, values, uri) => {
    expect(fillTemplate(template, values)).toBe(uri)
  })

  test('lists the variables', () => {
    expect(templateVariables('db://{schema}/{table}{?limit,offset*}{schema}')).toEqual(['schema', 'table', 'limit', 'offset'])
    expect(templateVariables('db://{schema}/{')).toEqual([])
  })
})

describe('search', () => {
  test('puts the best match first, and needs every word', () => {
    const items = ['list notes', 'search notes', 'delete']
    expect(filterBy(items, 'notes se', (item) => item)).toEqual(['search notes'])
    expect(filterBy(items, 'no', (item) => item)).toHaveLength(2)
    expect(filterBy(items, '', (item) => item)).toEqual(items)
  })
})

test('figures are short', () => {
  expect([0.4, 18.3, 1234, 61_000, 180_000].map(formatDuration)).toEqual(['<1 ms', '18 ms', '1.2 s', '1 min', '3 min'])
  expect([5, 1234, 56_789, 3_400_000].map(formatBytes)).toEqual(['5 B', '1.2 KB', '57 KB', '3.4 MB'])
  expect([plural(1, 'tool'), plural(1234, 'tool')]).toEqual(['1 tool', '1,234 tools'])
})
