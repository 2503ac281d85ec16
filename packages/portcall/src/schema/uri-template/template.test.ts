import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { expandTemplate } from './expand.ts'
import type { TemplateValues } from './parse.ts'
import { parseTemplate, type TemplateVariables } from './template.ts'

const expand = expandTemplate
const match = (template: string, uri: string) => parseTemplate(template).match(uri)

describe('expand', () => {
  const values: TemplateValues = {
    count: ['one', 'two', 'three'],
    dom: ['example', 'com'],
    dub: 'me/too',
    hello: 'Hello World!',
    half: '50%',
    var: 'value',
    who: 'fred',
    base: 'http://example.com/home/',
    path: '/foo/bar',
    list: ['red', 'green', 'blue'],
    keys: { semi: ';', dot: '.', comma: ',' },
    v: 6,
    x: 1024,
    y: 768,
    empty: '',
    empty_keys: {},
    undef: undefined,
  }
  it.each([
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,y}', '1024,768'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
    ['{keys}', 'semi,%3B,dot,.,comma,%2C'],
    ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['{+path}/here', '/foo/bar/here'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{+keys*}', 'semi=;,dot=.,comma=,'],
    ['{#var}', '#value'],
    ['{#x,hello,y}', '#1024,Hello%20World!,768'],
    ['{#undef}', ''],
    ['{#list*}', '#red,green,blue'],
    ['X{.var}', 'X.value'],
    ['X{.x,y}', 'X.1024.768'],
    ['X{.list*}', 'X.red.green.blue'],
    ['X{.empty_keys}', 'X'],
    ['www{.dom*}', 'www.example.com'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
    ['{/var,empty}', '/value/'],
    ['{/var,undef}', '/value'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{;v,bar,who}', ';v=6;who=fred'],
    ['{;list*}', ';list=red;list=green;list=blue'],
    ['{;keys*}', ';semi=%3B;dot=.;comma=%2C'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{?list}', '?list=red,green,blue'],
    ['{?keys*}', '?semi=%3B&dot=.&comma=%2C'],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&var:3}', '&var=val'],
  ])('RFC 6570: %s expands to %s', (template, uri) => {
    expect(expand(template, values)).toBe(uri)
  })
})

describe('match', () => {
  it.each<[string, string, Record<string, string | string[]> | undefined]>([
    ['notes://{id}', 'notes://7', { id: '7' }],
    ['notes://{id}', 'notes://a%20b%2Cc', { id: 'a b,c' }],
    ['notes://{id}', 'notes://a/b', undefined],
    ['notes://{id}', 'notes://', undefined],
    ['notes://{id}', 'other://7', undefined],
    ['file:///{+path}', 'file:///a/b.md', { path: 'a/b.md' }],
    ['file://{/path*}', 'file:///a/b.md', { path: ['a', 'b.md'] }],
    ['file://{/path*}', 'file://', { path: [] }],
    ['x://{a}/{b}', 'x://1/2', { a: '1', b: '2' }],
    ['x://{a,b}', 'x://1,2%2C3', { a: '1', b: '2,3' }],
    ['x://{+a}x{b}', 'x://1x/2x3', { a: '1x/2', b: '3' }],
    ['x://{a}-{b}', 'x://1-2-3', { a: '1', b: '2-3' }],
    ['x://y{.ext}', 'x://y.md', { ext: 'md' }],
    ['x://y{;a,b}', 'x://y;b=2;a', { a: '', b: '2' }],
    ['x://y{?q,n}', 'x://y', {}],
    ['x://y{?q,n}', 'x://y?n=1&q=a%26b', { n: '1', q: 'a&b' }],
    ['x://y{?q}{&n}', 'x://y?n=1&q=2', { n: '1', q: '2' }],
    ['x://y?a=b{&n}', 'x://y?a=b&n=1', { n: '1' }],
    ['x://y{?q*}', 'x://y?q=1&q=2', { q: ['1', '2'] }],
    ['x://y{?q}', 'x://y?q=1&q=2', undefined],
    ['x://y{?q}', 'x://y?other=1', {}],
    ['x://y{?q}', 'x://y?page=2&q=1&extra', { q: '1' }],
    ['x://y{?q}', 'x://y?%71=1', { q: '1' }],
    ['x://y{?q}', 'x://y?x=1&q=1&q=2', undefined],
    ['x://y{;q}', 'x://y;other=1', undefined],
    ['acme://x{/a,b}', 'acme://x/1', { a: '1' }],
    ['acme://x{/a,b}', 'acme://x/1/2', { a: '1', b: '2' }],
    ['acme://x{/a,b}', 'acme://x/1/2/3', undefined],
    ['acme://x{/a,b}{?q}', 'acme://x/1?q=2', { a: '1', q: '2' }],
    ['acme://x{/a,b}/end', 'acme://x/1/end', { a: '1' }],
    ['acme://x{/a,b}', 'acme://x', undefined],
    ['x://y{.a,b}', 'x://y.1', { a: '1' }],
    ['x://{a,b}', 'x://1', { a: '1' }],
    ['x://{+a,b}', 'x://1/2', { a: '1/2' }],
    ['x://{+path}{?q}', 'x://a/b?q=1', { path: 'a/b', q: '1' }],
    ['x://y{#part}', 'x://y#a/b', { part: 'a/b' }],
    ['x://{a:2}/{a}', 'x://ab/ab', { a: 'ab' }],
    ['x://{a}/{a}', 'x://1/2', undefined],
    ['x://{__proto__}', 'x://1', JSON.parse('{"__proto__":"1"}')],
  ])('%s and %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values)
  })

  it.each([
    '..',
    '%2e%2e',
    '%2E.',
    'a%2F..%2Fb',
    '..%5Cb',
    'a%5c..',
    '%00',
    'a%00b',
    '%',
    '%zz',
    '%ff',
    '%c0%ae%c0%ae',
    '../../etc/passwd',
    'a/../b',
    '%2e%2e/b',
    'a/..%2f',
  ])('RES: never matches a value outside of the root of the template: %s', (value) => {
    for (const template of [
      'f:///{id}',
      'f:///{+id}',
      'f://{/id*}',
      'f:///x{?id}',
      'f:///x{?id*}',
      'f:///x{;id}',
      'f:///x{#id}',
    ]) {
      const opener =
        template.slice(0, template.indexOf('{')) +
        ({ '/': '/', '?': '?id=', ';': ';id=', '#': '#' }[template.charAt(template.indexOf('{') + 1)] ?? '')
      expect(match(template, opener + value), template).toBeUndefined()
    }
  })

  it('RES: nor with adjacent variables', () => {
    expect(match('f:///{a}{b}/secret', 'f:///../secret')).toBeUndefined()
    expect(match('f:///{a}.{b}', 'f:///a..b')).toEqual({ a: 'a', b: '.b' })
  })

  it('limits the length of the URI', () => {
    expect(match('x://{a}', `x://${'a'.repeat(9000)}`)).toBeUndefined()
    expect(parseTemplate('x://{a}', { maxUriLength: 10_000 }).match(`x://${'a'.repeat(9000)}`)).toBeDefined()
  })

  it.each([
    'x://{a}-{b}-{c}',
    'x://{a}.{b}.{c}.{d}',
    'x://{a}{b}{c}{d}{e}{f}{g}{h}',
    'x://{+a}{+b}{+c}{+d}z',
    'x:/{/path*}',
    'x://{?q*}',
    'x://{+a}/{+b}/{+c}/z',
    'x://{a,b,c,d}z',
  ])('takes linear time: %s', (template) => {
    const { match } = parseTemplate(template, { maxUriLength: 100_000 })
    const text = ['a', '-', '.', '/', 'a-', '-.', 'a/', 'q=1&', '%41', ',', '%2e.'].map((unit) =>
      unit.repeat(65_536 / unit.length),
    )
    match('x://warm-up')
    for (const rest of [...text, ...text.map((part) => `${part}!\u0001`), ...text.map((part) => `?${part}`)]) {
      const start = performance.now()
      match(`x://${rest}`)
      expect(performance.now() - start).toBeLessThan(10_000)
    }
  })

  const value = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !text.includes('\0') && !text.split(/[\\/]/).includes('..'))
  const list = fc.array(value, { minLength: 1 })
  it('RES: reads the values of an expanded template', () => {
    const template = parseTemplate('x://h/{a}/{b,c}{/path*}{;m}{?q,tags*}{&r}{#part}', { maxUriLength: 1_000_000 })
    const values = fc.record(
      { a: value, b: value, c: value, path: list, m: value, q: value, tags: list, r: value },
      { requiredKeys: ['a', 'b', 'c', 'path'] },
    )
    fc.assert(
      fc.property(values, (values) => {
        fc.pre(!(values.a + values.b).includes('..'))
        expect(template.match(expandTemplate(template.template, values))).toEqual(values)
      }),
    )
  })

  it('never throws, and never returns a value with a .. segment', () => {
    const unit = fc.constantFrom('{', '}', 'a', 'b', '*', ':1', ',', '+', '/', '?', '#', ';', '.', '&', 'x://', '%2e', '..', '%')
    const text = fc.array(unit, { maxLength: 20 }).map((units) => units.join(''))
    fc.assert(
      fc.property(text, text, (template, uri) => {
        let parsed: ReturnType<typeof parseTemplate>
        try {
          parsed = parseTemplate(template)
        } catch (error) {
          expect(error).toHaveProperty('code', 'INVALID_SCHEMA')
          return
        }
        for (const value of Object.values(parsed.match(uri) ?? {}).flat()) expect(value.split(/[\\/]/)).not.toContain('..')
      }),
      { numRuns: 2000 },
    )
  })
})

describe('parseTemplate', () => {
  it.each(['{', '}', 'a{b', 'a}b', '{}', '{a b}', '{a:0}', '{a:}', '{=a}', '{|a}', '{a,}', '{a{b}}', '{a**}', '{?}', '{a-b}'])(
    'refuses %s',
    (template) => {
      expect(() => parseTemplate(template)).toThrow(/URI template/)
    },
  )

  it('lists its variables', () => {
    expect(parseTemplate('x://{a}/{b,c*}{?a,d:3}').variables).toEqual(['a', 'b', 'c', 'd'])
    expectTypeOf<TemplateVariables<'notes://{id}/x{?q}'>>().toEqualTypeOf<{ id: string; q?: string }>()
    expectTypeOf<TemplateVariables<'x://{a,b}{/path*}{#f}{&l*}{+c:3}'>>().toEqualTypeOf<{
      a: string
      b?: string
      path: string[]
      f?: string
      l?: string[]
      c: string
    }>()
  })
})
