import { describe, expect, test } from 'vitest'
import { offsetInYaml, parseYaml, YamlError } from './yaml.ts'

const MAX = 1000
const errorOf = (text: string): unknown => {
  try {
    return parseYaml(text, MAX)
  } catch (error) {
    return error
  }
}

describe('parseYaml', () => {
  test.each([
    ['', null],
    ['# nothing', null],
    ['---\na: 1\n...\n', { a: 1 }],
    ['200: ok\n"404": no', { '200': 'ok', '404': 'no' }],
    ['a: yes\nb: on\nc: 012\nd: 0o14\ne: ~\nf: 2020-01-01', { a: 'yes', b: 'on', c: 12, d: 12, e: null, f: '2020-01-01' }],
    ['base: &b { x: 1, y: 2 }\nall: { <<: *b, y: 3 }', { base: { x: 1, y: 2 }, all: { x: 1, y: 3 } }],
    ['a: !Ref name\nb: !Sub [1]\nc: !Of { d: !x 1 }', { a: 'name', b: [1], c: { d: '1' } }],
    ['a: !!timestamp 2020-01-01\nb: !!set { x }\nc: !!pairs [y: 1]', { a: '2020-01-01', b: { x: null }, c: [{ y: 1 }] }],
    ['%TAG !e! tag:example.com,2000:\n---\na: !e!f 1', { a: '1' }],
    ['a: |\r\n  one\r\n  two\r\n', { a: 'one\ntwo\n' }],
  ])('%j is %j', (text, value) => {
    expect(parseYaml(text, MAX)).toEqual(value)
  })

  test('a member named __proto__ is like any other', () => {
    for (const text of ['__proto__: { x: 1 }', '!t { __proto__: { x: 1 } }'])
      expect(JSON.stringify(parseYaml(text, MAX))).toBe('{"__proto__":{"x":1}}')
  })

  test.each([
    ['a: 1\n  b: 2', { position: { line: 2, column: 4 } }],
    ['a: *s3cret', { message: 'unidentified alias at line 1, column 5', position: { line: 1, column: 5 } }],
    ['a: !!int s3cret', { message: 'cannot resolve a node with its explicit tag at line 1, column 4' }],
    ['a: 1\na: 2', { message: 'duplicated mapping key at line 2, column 1', position: { line: 2, column: 1 } }],
    ['a: 1\n---\nb: 2', { message: 'there is more than one document', position: undefined }],
    ['? [a]\n: 1', { message: 'object-based map does not support complex keys at line 1, column 1' }],
    ['a: &a [*a]', { message: 'the aliases stand for more than 1000 values, or for themselves' }],
    [
      '['.repeat(1000),
      { message: expect.stringContaining('nesting exceeded maxDepth (500) at line 1, '), position: { line: 1 } },
    ],
  ])('%j is an error', (text, error) => {
    expect(errorOf(text)).toBeInstanceOf(YamlError)
    expect(errorOf(text)).toMatchObject(error)
  })

  test('few aliases that stand for many values are an error, in time linear in the text', () => {
    const level = (name: string, of: string): string => `${name}: &${name} [${new Array(9).fill(`*${of}`).join(', ')}]`
    const names = Array.from({ length: 200 }, (_, at) => `n${at}`)
    const text = ['n: &n [1]', ...names.map((name, at) => level(name, names[at - 1] ?? 'n'))].join('\n')
    expect(errorOf(text)).toMatchObject({ message: expect.stringContaining('more than 1000 values') })
    expect(errorOf(['n: &n [1]', level('m', 'n')].join('\n'))).toEqual({ n: [1], m: new Array(9).fill([1]) })
  })
})

describe('offsetInYaml', () => {
  const text = 'servers:\n  "a b": &a\n    args: [x, "y"]\n  c: *a\n'
  test.each<[(string | number)[], string]>([
    [[], 'servers'],
    [['servers'], 'servers'],
    [['servers', 'a b'], '"a b"'],
    [['servers', 'a b', 'args'], 'args'],
    [['servers', 'a b', 'args', 1], '"y"'],
    [['servers', 'a b', 'args', 7], 'args'],
    [['servers', 'c'], 'c:'],
    [['servers', 'c', 'args'], 'c:'],
    [['others'], 'servers'],
  ])('of %j is that of %s', (path, start) => {
    expect(text.slice(offsetInYaml(text, path))).toSatisfy((rest: string) => rest.startsWith(start))
  })
})
