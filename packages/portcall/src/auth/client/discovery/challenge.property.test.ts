import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBearerChallenge, readChallenges } from './challenge.ts'

const plain = (header: string) => readChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)])

describe('challenges', () => {
  test.each([
    ['', []],
    ['Bearer', [['bearer', {}]]],
    ['Bearer realm="x"', [['bearer', { realm: 'x' }]]],
    ['Bearer realm="x", scope="a b" , error = invalid_token', [['bearer', { realm: 'x', scope: 'a b', error: 'invalid_token' }]]],
    ['bearer A="1", a="2"', [['bearer', { a: '1' }]]],
    [String.raw`Bearer d="a \"quoted\" \\ , b"`, [['bearer', { d: 'a "quoted" \\ , b' }]]],
    [
      'Basic realm="x", Bearer scope="y"',
      [
        ['basic', { realm: 'x' }],
        ['bearer', { scope: 'y' }],
      ],
    ],
    [
      'Negotiate abc==, DPoP algs="ES256 RS256", Bearer',
      [
        ['negotiate', {}],
        ['dpop', { algs: 'ES256 RS256' }],
        ['bearer', {}],
      ],
    ],
    [',, Bearer ,error="x",,', [['bearer', { error: 'x' }]]],
    ['Bearer resource_metadata=https://a.example/x', [['bearer', { resource_metadata: 'https://a.example/x' }]]],
    ['Bearer scope="never ends', [['bearer', { scope: 'never ends' }]]],
    ['Bearer scope="x", "', [['bearer', { scope: 'x' }]]],
    ['=x', []],
    ['Bearer __proto__="x", constructor="y"', [['bearer', { ['__proto__']: 'x', constructor: 'y' }]]],
  ])('are parsed from %j', (header, challenges) => expect(plain(header)).toEqual(challenges))

  const token = fc.stringMatching(/^[a-z][a-z0-9_-]{0,9}$/)
  const text = fc.string({ maxLength: 30 })
  const parameters = fc.uniqueArray(fc.tuple(token, text), { maxLength: 5, selector: ([name]) => name })
  const quoted = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`

  test('are parsed as written', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(token, parameters), { maxLength: 4 }), (challenges) => {
        const header = challenges.map(
          ([scheme, pairs]) => `${scheme} ${pairs.map(([name, value]) => `${name}=${quoted(value)}`).join(', ')}`,
        )
        const read = readChallenges(header.join(', ')).map(({ scheme, parameters: parsed }) => [scheme, [...parsed]])
        expect(read).toEqual(challenges)
      }),
    )
  })

  test('C65 are parsed in linear time from any input', () => {
    const parts = fc.constantFrom('"', ',', '=', '\\', ' ', 'a', 'Bearer ', 'x="', '\t', 'a='.repeat(3), '\u00ff')
    const repeated = fc.array(parts, { minLength: 1, maxLength: 4 }).map((chosen) => chosen.join(''))
    fc.assert(
      fc.property(repeated, fc.constantFrom('', 'Bearer ', 'Bearer a="', 'Bearer a='), (part, head) => {
        const time = (length: number): number => {
          const header = head + part.repeat(length / part.length)
          const start = performance.now()
          readChallenges(header)
          return performance.now() - start
        }
        // Quadratic time would take much longer on any machine.
        expect(time(100_000)).toBeLessThan(5000)
      }),
      { numRuns: 60 },
    )
  })
})

describe('a bearer challenge', () => {
  test('is merged from the challenges with the schemes Bearer and DPoP', () => {
    const header = 'Basic scope="no", DPoP error="use_dpop_nonce", Bearer scope="a", resource_metadata="https://a.example/r"'
    const expected = { scope: 'a', error: 'use_dpop_nonce', resourceMetadata: 'https://a.example/r' }
    expect(readBearerChallenge(header)).toEqual(expected)
    expect(readBearerChallenge(undefined)).toEqual({})
  })

  test.each([
    [`Bearer resource_metadata='https://a.example/r'`, { resourceMetadata: 'https://a.example/r' }],
    [`Bearer scope='a b', resource_metadata='https://a.example/r'`, { scope: 'a b', resourceMetadata: 'https://a.example/r' }],
    [`Bearer error='it''s', scope=a`, { error: `'it''s'`, scope: 'a' }],
    [`Bearer scope='a, error=b`, { scope: `'a`, error: 'b' }],
    [`Bearer resource_metadata="/r"`, { resourceMetadata: '/r' }],
    [`Bearer resource_metadata="a", resource_metadata="b"`, { resourceMetadata: 'a', otherResourceMetadata: ['b'] }],
    [`Bearer resource_metadata="a", DPoP resource_metadata="a"`, { resourceMetadata: 'a' }],
    [`Bearer error="x", error_description="the reason"`, { error: 'x', description: 'the reason' }],
  ])('U2 is read from %s', (header, expected) => expect(readBearerChallenge(header)).toEqual(expected))
})
