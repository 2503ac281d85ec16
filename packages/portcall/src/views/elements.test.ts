import { expect, test } from 'vitest'
import { growthOf } from '../../test-kit/growth.ts'
import { attribute, elementsOf, withAttribute } from './elements.ts'
import { namesFiles } from './source.ts'

test.each([
  [' src="a.png"', 'a.png'],
  ['src=a.png', 'a.png'],
  [" SRC = 'a.png'", 'a.png'],
  [' alt="x"src="a.png"', 'a.png'],
  [' data-src="a.png"', undefined],
  [' data-src="b.png" src="a.png"', 'a.png'],
  [' alt', undefined],
])('the value of src in %j is %j', (attributes, value) => expect(attribute(attributes, 'src')).toBe(value))

test.each([
  ['<img alt="a.png" src="a.png">', '<img alt="a.png" src="data:,">'],
  ['<img data-src="a.png" src=a.png>', '<img data-src="a.png" src="data:,">'],
  ["<img src='a.png'/>", '<img src="data:,"/>'],
])('in %j, only src changes', (element, changed) => expect(withAttribute(element, 'src', 'data:,')).toBe(changed))

test('the elements of a page have their places, and the text of a script is not searched', () => {
  const page = '<LINK href=a><script>"<img src=b>"</SCRIPT ><img src="c"><script>never ends <img src=d>'
  expect(elementsOf(page).map(({ name, code, start, end }) => [name, code, page.slice(start, end)])).toEqual([
    ['link', '', '<LINK href=a>'],
    ['script', '"<img src=b>"', '<script>"<img src=b>"</SCRIPT >'],
    ['img', '', '<img src="c">'],
  ])
})

test.each([
  ['<p>Text</p>', false],
  ['<img src="https://example.com/a.png">', false],
  ['<img data-src="a.png">', false],
  ['<script>const a = "<img src=a.png>"</script>', false],
  ['<script type="module">import "https://example.com/a.js"</script>', false],
  ['<script type=importmap>{}</script><script type="module">import "a"</script>', false],
  ['<script type="module">import { a } from "./a.js"</script>', true],
  ['<SCRIPT SRC=./a.js></SCRIPT>', true],
  ['<link rel=stylesheet href=a.css>', true],
  ['<img src="a.png">', true],
])('%s names files beside it: %j', (html, expected) => expect(namesFiles(html)).toBe(expected))

test.each(['<script', '<script>', '<script type="module">import ', '<img src', '<link href=', 'src='])(
  'a page of many %j is read in linear time',
  (part) => {
    const growth = growthOf(namesFiles, (size) => part.repeat(Math.ceil(size / part.length)))
    expect(growth).toBeLessThan(3)
  },
)
