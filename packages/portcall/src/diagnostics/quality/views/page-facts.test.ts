import { expect, test } from 'vitest'
import { growthOf, PIECES } from '../../../../test-kit/growth.ts'
import { parsePage } from '../../../views/bundle/page/document.ts'
import { readPage } from './page-facts.ts'

const show = (html: string) =>
  parsePage(html).elements.map(({ name, attributes, content }) => [
    name,
    Object.fromEntries(attributes),
    name === 'script' || name === 'style' ? content.text : '',
  ])

test('tags have their attributes, in any spelling', () => {
  expect(show('<IMG SRC = "a&amp;b" alt=\'"\' data-src=c hidden/><br/><a href=/x/>')).toEqual([
    ['img', { src: 'a&b', alt: '"', 'data-src': 'c', hidden: '' }, ''],
    ['br', {}, ''],
    ['a', { href: '/x/' }, ''],
  ])
})

test('comments and texts contain no tags', () => {
  expect(show('<!-- <a> --><!--><b><script>"<c>"</script ><style>d > e</style><title><f></title>1 < 2<g>')).toEqual([
    ['b', {}, ''],
    ['script', {}, '"<c>"'],
    ['style', {}, 'd > e'],
    ['title', {}, ''],
    ['g', {}, ''],
  ])
})

test('what never ends is left out', () => {
  expect(show('<a><b x="')).toEqual([['a', {}, '']])
  expect(show('<a><!-- <b>')).toEqual([['a', {}, '']])
  expect(show('<script>a')).toEqual([['script', {}, 'a']])
})

test.each([...PIECES, '<', '<a ', '<a x="', "<a x='", '<!--', '<script>', '</script', '<a x=', '<a/', '&amp;'])(
  'a page of many %j is read in linear time',
  (piece) => {
    expect(growthOf(readPage, (size) => `<a ${piece.repeat(Math.ceil(size / piece.length))}`)).toBeLessThan(3)
    expect(growthOf(readPage, (size) => piece.repeat(Math.ceil(size / piece.length)))).toBeLessThan(3)
  },
)
