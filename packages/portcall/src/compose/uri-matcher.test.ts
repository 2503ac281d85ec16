import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growthOf } from '../../test-kit/growth.ts'
import { createUriMatcher } from './uri-matcher.ts'

const denies = (pattern: string, uri: string): boolean => createUriMatcher([pattern]).matchesAny(uri)
const allows = (pattern: string, uri: string): boolean => createUriMatcher([pattern]).matchesAll(uri)

/** Ways to write a URI that some server takes for the same. */
const CHANGES: { readonly [name: string]: (uri: string) => string } = {
  'doubled slashes': (uri) => uri.replaceAll(/(?<=[^:/])\/(?=[^/])/g, '//'),
  'four slashes': (uri) => uri.replace(/:\/+/, '://///'),
  'one slash': (uri) => uri.replace(/:\/+/, ':/'),
  'upper case': (uri) => uri.toUpperCase(),
  'upper-case scheme': (uri) => uri.replace(/^\w+/, (scheme) => scheme.toUpperCase()),
  backslashes: (uri) => uri.replaceAll(/(?<=[^:/])\//g, '\\'),
  'encoded separators': (uri) => uri.replaceAll(/(?<=[^:/])\/(?=[^/])/g, '%2f'),
  'separators encoded six times': (uri) => uri.replaceAll(/(?<=[^:/])\/(?=[^/])/g, '%25252525252F'),
  'encoded backslashes': (uri) => uri.replaceAll(/(?<=[^:/])\/(?=[^/])/g, '%5C'),
  'overlong separators': (uri) => uri.replaceAll(/(?<=[^:/])\/(?=[^/])/g, '%c0%af'),
  'encoded letters': (uri) => uri.replaceAll(/[est](?=[^:]*$)/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  'dot segments': (uri) => uri.replace(/(?<=[^:/])\/(?=[^/]*$)/, '/x/.././'),
  'encoded dot segments': (uri) => uri.replace(/(?<=[^:/])\/(?=[^/]*$)/, '/x/%2e%2E/%2e/'),
  'dot segments with parameters': (uri) => uri.replace(/(?<=[^:/])\/(?=[^/]*$)/, '/x/..;a=b/'),
  'dots and slashes': (uri) => uri.replace(/(?<=[^:/])\/(?=[^/]*$)/, '//.//x//..//'),
  'slash at the end': (uri) => `${uri}/`,
  fragment: (uri) => `${uri}#x`,
  'empty query': (uri) => `${uri}?`,
  'control characters': (uri) => `\n${uri.replaceAll('e', 'e\t')}\0`,
  'invisible characters': (uri) => uri.replace(/[a-z](?=[^/]*$)/, (letter) => `${letter}\u200c`),
  'full-width letters': (uri) =>
    uri.replaceAll(/[a-z](?=[^:]*$)/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  'full-width separators': (uri) => uri.replaceAll(/(?<=[^:/])\/(?=[^/])/g, '\uff0f'),
  'parameters of segments': (uri) => uri.replace(/(?<=[^:/])\/(?=[^/]*$)/, ';v=1/'),
  'parameters at the end': (uri) => `${uri}${uri.endsWith('/') ? '' : ';v=1'}`,
  'streams of files': (uri) => `${uri}::$DATA`,
  'decomposed letters': (uri) => uri.normalize('NFD'),
  'dots at the end of names': (uri) => uri.replaceAll(/(?<=[a-zé])(?=\/[^/]|$)/g, '.'),
}
const DENIED = [
  ['file:///home/a/.ssh/*', 'file:///home/a/.ssh/id'],
  ['file:///home/a/.ssh/*', 'file:///home/a/.ssh'],
  ['file:///secret/café', 'file:///secret/café'],
  ['db://host/secret/*', 'db://host/secret/table'],
  ['custom:/secret/*', 'custom:/secret/x'],
  ['*/secret/*', 'notes://a/secret/b'],
  ['http://example.com/secret/*', 'http://example.com/secret/x'],
] as const

describe.each(DENIED)('a rule that denies %s', (pattern, uri) => {
  test.each(Object.entries(CHANGES))('denies %s', (_, change) => {
    expect(denies(pattern, change(uri)), change(uri)).toBe(true)
  })

  test('denies any combination of them, unless they cannot be combined', () => {
    const changes = fc.subarray(
      Object.keys(CHANGES).filter((name) => !/parameters|end/.test(name)),
      { maxLength: 2 },
    )
    fc.assert(
      fc.property(changes, (names) => {
        const changed = names.reduce((text, name) => CHANGES[name]?.(text) ?? text, uri)
        fc.pre(/^[\s\w]/.test(changed))
        expect(denies(pattern, changed), changed).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})

test.each([
  ['file:///etc/*', 'file:/etc/passwd'],
  ['file:///etc/*', 'file://localhost/etc/passwd'],
  ['file:///etc/*', 'file://LOCALHOST/etc/passwd'],
  ['file:///etc/*', 'file://127.0.0.1/etc/passwd'],
  ['file:///etc/*', 'file://user@/etc/passwd'],
  ['file:///etc/*', 'file://etc/passwd'],
  ['file:///etc/*', 'file://home/../etc/passwd'],
  ['file:///etc/*', 'file:///etc/passwd?x=1'],
  ['file:///etc/passwd', 'file:///etc/passwd?#'],
  ['file://localhost/etc/*', 'file:///etc/passwd'],
  ['db://host/secret', 'db://user:password@host:5432/secret'],
  ['db://host/secret', 'db://HOST.:/secret'],
  ['db://host:5432/secret', 'db://user@host:5432/secret'],
  ['db://host:5432/secret', 'db://user:password@HOST.:5432/secret'],
  ['http://host:8080/secret', 'http://user%40x@host.:8080/secret'],
  ['file:///etc/*', 'file://server/etc/passwd'],
  ['file:///etc/*', 'file://127.1/etc/passwd'],
  ['file:///etc/*', 'file://user@server:1/etc;x=1/passwd'],
  ['*.pem', 'file:///a.pem:$DATA'],
  ['http://host/secret', 'http://host:80/secret'],
  ['http://host:80/secret', 'http://host/secret'],
  ['https://münchen.de/*', 'https://xn--mnchen-3ya.de/x'],
  ['https://xn--mnchen-3ya.de/*', 'https://MÜNCHEN.de/x'],
  ['urn:secret:*', 'URN:Secret:1'],
  ['file:///My%20Documents/*', 'file:///my documents/x'],
  ['file:///{+path}', 'FILE:///{+path}'],
  ['file:///home/a/.ssh/*', 'file:///home/a/.%73%73h/id%ff'],
  ['db://host/secret/*', 'db://host/%73ecret/%c3%28'],
])('a rule that denies %s denies %s', (pattern, uri) => expect(denies(pattern, uri)).toBe(true))

test.each([
  ['file:///home/a/.ssh/*', 'file:///home/a/.sshd/config'],
  ['file:///secret/*', 'file:///public/secret.txt'],
  ['mailbox://ada@example.com/*', 'mailbox://bob@example.com/inbox'],
  ['db://host:5433/*', 'db://host:5432/table'],
  ['*//*', 'custom:/public/a'],
  ['*/../*', 'file:///public/a'],
  ['*%2f*', 'file:///public/a'],
  ['*\\*', 'file:///public/a'],
  ['db://host/table', 'db://host/table?limit=5'],
])('a rule that denies %s does not deny %s', (pattern, uri) => expect(denies(pattern, uri)).toBe(false))

test.each([
  ['file:///public/*', 'file:///public/a.txt', true],
  ['file:///public/*', 'file:///public/my report.txt', true],
  ['file:///public/*', 'file:///public/../secret', false],
  ['file:///public/*', 'file:///public/..%2fsecret%ff', false],
  ['file:///public/*', 'file:///public/%252e%252e/secret', false],
  ['file:///public/*', 'file:///PUBLIC/a', false],
])('a rule that allows %s, and %s: %s', (pattern, uri, expected) => expect(allows(pattern, uri)).toBe(expected))

test('takes time in proportion to the URI', () => {
  const { matchesAny, matchesAll } = createUriMatcher(['file:///secret/*', '*/x/*/y'])
  const match = (uri: string): void => {
    matchesAny(uri)
    matchesAll(uri)
  }
  for (const unit of [
    'a',
    '/',
    '../',
    '%25',
    '%2525',
    '%c0',
    '%',
    '\\',
    ';',
    '..;',
    '@',
    ':',
    '#',
    '?',
    '.',
    ' ',
    'é',
    '%2e%2e%2f',
    '\u200c',
  ]) {
    const uriOf = (length: number): string => `file:///${unit.repeat(length / unit.length)}`
    expect(growthOf(match, uriOf), unit).toBeLessThan(3)
  }
})

test('a URI that is too long to compare is denied, and not allowed', () => {
  const uri = `file:///public/${'a'.repeat(20_000)}`
  expect([denies('file:///secret/*', uri), allows('file:///public/*', uri)]).toEqual([true, false])
  expect(createUriMatcher([]).matchesAny(uri)).toBe(false)
})

describe('a rule that denies one URI', () => {
  const SPELLINGS: readonly (readonly [uri: string, ...spellings: string[]])[] = [
    ['notes://a/b%2Ec', 'notes://a/b.c', 'notes://a/%62.c', 'NOTES://A/b%2ec'],
    ['file:///home/ada/../eve/key', 'file:///home/eve/key', 'file:///home/./eve/key', 'file:///home/eve/%6bey'],
    ['https://h.example//a\\b', 'https://h.example/a/b', 'https://h.example:443//a%5Cb'],
    ['https://h.example?x=1', 'https://h.example/?x=1', 'HTTPS://H.EXAMPLE:443?x=1'],
    ['https://h.example:/x', 'https://h.example/x'],
    ['notes://a/%25%32%65b', 'notes://a/%252eb', 'notes://a/.b', 'notes://a/%2eb'],
    ['notes://a/100%', 'notes://a/100%25'],
    ['https://b\u00fccher.example/x', 'https://xn--bcher-kva.example/x'],
  ]

  test.each(SPELLINGS)('%s denies its other spellings, and only those', (uri, ...spellings) => {
    const { matchesAny } = createUriMatcher([uri])
    for (const spelling of [uri, ...spellings]) expect([spelling, matchesAny(spelling)]).toEqual([spelling, true])
    for (const [other] of SPELLINGS) expect([other, matchesAny(other)]).toEqual([other, other === uri])
  })

  test('denies what is encoded so often that no server would decode it', () => {
    const encoded = (text: string, times: number): string =>
      times === 0
        ? text
        : encoded(
            text.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
            times - 1,
          )
    const { matchesAny } = createUriMatcher(['notes://a/key'])
    expect(matchesAny(encoded('notes://a/key', 3))).toBe(true)
    expect(matchesAny(encoded('notes://a/other', 40))).toBe(true)
    expect(matchesAny('notes://a/other')).toBe(false)
    expect(createUriMatcher(['notes://a/*']).matchesAll(encoded('notes://a/other', 40))).toBe(false)
  })
})

describe('a rule', () => {
  const ROWS: readonly (readonly [rule: string, denied: readonly string[], others: readonly string[]])[] = [
    [
      'notes://vault/private/*',
      ['notes://vault//private/key?zz=1', 'notes://vault//private/key?zz=/../../b', 'notes://vault/public?x=/../private/key'],
      ['notes://vault/public?x=1'],
    ],
    [
      'https://h.example/private/*',
      ['https://h.example//private/key?back=/x/../../../../b', 'https://u@h.example/PRIVATE/key?x=%2f%2e%2e%2fy'],
      ['https://h.example/public?back=/../private/key', 'https://h.example/public#/../private/key'],
    ],
    ['https://h.example/admin', ['https://h.example/public%3fx/../admin'], ['https://h.example/public?back=/../admin']],
    ['db://h/secret/*', ['db://h:5432/secret/a?x=/../../y', 'db://u@h/SECRET/a?x=/../../y'], ['db://h/other?x=y']],
    ['*secret*', ['https://h/SECRET?x=/../a'], ['https://h/other']],
    [
      'https://localhost/*',
      ['https://LOCALHOST:443/x', 'https://localhost:8443/x'],
      ['https://api.example.com/v1', 'https://10.0.0.1/'],
    ],
    [
      'http://127.0.0.1/*',
      ['http://127.1/x', 'http://0x7f000001/x', 'http://[::ffff:127.0.0.1]/'],
      ['http://api.example.com/v1'],
    ],
    ['http://[2001:db8:0:0:0:0:0:1]/*', ['http://[2001:db8::1]/x'], ['http://[2001:db8::2]/x']],
    ['http://127.1/*', ['http://127.0.0.1/x'], ['http://127.0.0.2/x']],
    ['https://internal./*', ['https://internal/x', 'https://internal../x'], ['https://internal.example/x']],
    ['https://localhost/admin', ['https://localhost//admin/'], ['https://admin/']],
    ['file:///bin/*', ['file:///BIN/x', 'file://localhost/bin/x', 'file://any-host/bin/x', 'file:/bin/x'], ['file:///usr/bin/x']],
    ['file:///etc/passwd', ['file:////etc//passwd', 'file://etc/passwd'], ['file:///backup/etc/passwd']],
    ['file://localhost/etc/*', ['file:///etc/passwd'], ['file:///backup/etc/passwd']],
    [
      'https://h.example/d?id=1',
      ['https://h.example/d/?id=1', 'https://h.example/d;v=1?id=1', 'https://h.example/d.?id=1'],
      ['https://h.example/d?id=2', 'https://h.example/d'],
    ],
    ['https://h.example/d?u=https://x/*', ['https://h.example//d?u=https://x/y'], ['https://h.example/d?u=https://z/y']],
    ['file:///a/b./*', ['file:///a//b./x', 'file:///a/b/x'], ['file:///a/c/x']],
  ]

  test.each(ROWS)('%s denies its spellings in every place, and nothing else', (rule, denied, others) => {
    const { matchesAny } = createUriMatcher([rule])
    expect(denied.filter((uri) => !matchesAny(uri))).toEqual([])
    expect(others.filter((uri) => matchesAny(uri))).toEqual([])
  })
})
