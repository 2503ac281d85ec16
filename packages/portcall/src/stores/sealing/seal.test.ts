import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromBase64url, toBase64url } from '../../../../util/src/base64url.ts'
import { canonicalJson } from '../../../../util/src/canonical-json.ts'
import { randomId } from '../../../../util/src/random.ts'
import { createSealer, digest, generateKey, SealError, type SealErrorReason } from './seal.ts'

const ttlMs = 60_000

async function outcomeOf(opening: Promise<unknown>): Promise<SealErrorReason | 'opened' | 'another error'> {
  return opening.then(
    () => 'opened',
    (error: unknown) => (error instanceof SealError ? error.reason : 'another error'),
  )
}

const claim = fc.option(fc.string({ unit: 'binary' }), { nil: undefined })

describe('sealing', () => {
  test('MRTR-014, MRTR-016: any JSON value opens for the same purpose, principal and binding', async () => {
    const sealer = createSealer()
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.jsonValue(), claim, claim, async (purpose, payload, principal, binding) => {
        const token = await sealer.seal(purpose, payload, { ttlMs, principal, binding })
        expect(token).toMatch(/^[\w-]+$/)
        expect(await sealer.open(purpose, token, { principal, binding })).toEqual(JSON.parse(JSON.stringify(payload)))
      }),
    )
  })

  test('M09, MRTR-014: a token with a changed character is rejected', async () => {
    const sealer = createSealer()
    const token = await sealer.seal('state', { answer: 42 }, { ttlMs })
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \n\u0141\u{1f600}'
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...alphabet), async (at, character) => {
        fc.pre(token.charAt(at) !== character)
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        expect(['malformed', 'tampered']).toContain(await outcomeOf(sealer.open('state', changed)))
      }),
      { numRuns: 500 },
    )
    for (const character of alphabet) {
      if (character === token.at(-1)) continue
      expect(['malformed', 'tampered']).toContain(await outcomeOf(sealer.open('state', token.slice(0, -1) + character)))
    }
  })

  test('M09: a truncated or extended token, and any other text, is rejected', async () => {
    const sealer = createSealer()
    const token = await sealer.seal('state', 'x', { ttlMs })
    for (const other of [token.slice(1), token.slice(0, -1), `${token}A`, `${token}=`, token + token, '', 'A', '\0'])
      expect(['malformed', 'tampered']).toContain(await outcomeOf(sealer.open('state', other)))
    await fc.assert(
      fc.asyncProperty(fc.string(), async (other) => {
        expect(['malformed', 'tampered']).toContain(await outcomeOf(sealer.open('state', other)))
      }),
    )
  })

  test('MRTR-016: another principal, binding or purpose is rejected', async () => {
    const sealer = createSealer()
    await fc.assert(
      fc.asyncProperty(fc.tuple(claim, claim), fc.tuple(claim, claim), async ([principal, other], [binding, foreign]) => {
        const token = await sealer.seal('state', null, { ttlMs, principal, binding })
        expect(await outcomeOf(sealer.open('state', token, { principal: other, binding }))).toBe(
          other === principal ? 'opened' : 'principal',
        )
        expect(await outcomeOf(sealer.open('state', token, { principal, binding: foreign }))).toBe(
          foreign === binding ? 'opened' : 'binding',
        )
        expect(await outcomeOf(sealer.open('cursor', token, { principal, binding }))).toBe('purpose')
      }),
    )
  })

  test('an empty principal differs from an absent one', async () => {
    const sealer = createSealer()
    expect(await outcomeOf(sealer.open('p', await sealer.seal('p', 1, { ttlMs }), { principal: '' }))).toBe('principal')
    expect(await outcomeOf(sealer.open('p', await sealer.seal('p', 1, { ttlMs, principal: '' })))).toBe('principal')
  })

  test('MRTR-016: a token expires after exactly ttlMs', async () => {
    let time = 1000
    const sealer = createSealer({ now: () => time })
    const token = await sealer.seal('state', 'x', { ttlMs: 500 })
    time = 1499
    expect(await outcomeOf(sealer.open('state', token))).toBe('opened')
    time = 1500
    expect(await outcomeOf(sealer.open('state', token))).toBe('expired')
  })

  test('sealing a value twice gives different tokens, which do not disclose the value', async () => {
    const sealer = createSealer()
    const tokens = await Promise.all(Array.from({ length: 100 }, () => sealer.seal('state', 'canary', { ttlMs })))
    expect(new Set(tokens).size).toBe(100)
    for (const token of tokens) expect(atob(token.replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('canary')
  })
})

describe('key ring', () => {
  test('rotation: the first key seals, all keys open, a removed key does not open', async () => {
    const [older, newer] = [generateKey(), generateKey()]
    const token = await createSealer({ keys: [older] }).seal('state', 'x', { ttlMs })
    const both = createSealer({ keys: [newer, older] })
    expect(await both.open('state', token)).toBe('x')
    const next = await both.seal('state', 'y', { ttlMs })
    expect(await createSealer({ keys: [newer] }).open('state', next)).toBe('y')
    expect(await outcomeOf(createSealer({ keys: [older] }).open('state', next))).toBe('tampered')
    expect(await outcomeOf(createSealer({ keys: [newer] }).open('state', token))).toBe('tampered')
  })

  test('without keys, each sealer has a key of its own', async () => {
    expect(await outcomeOf(createSealer().open('state', await createSealer().seal('state', 'x', { ttlMs })))).toBe('tampered')
  })

  test('errors describe an invalid key without disclosing it', () => {
    const short = 'c2hvcnQ'
    expect(() => createSealer({ keys: [generateKey(), short] })).toThrow(/sealingKeys\[1\] has 7 characters.*generateKey/)
    expect(() => createSealer({ keys: [`${generateKey()}=`] })).toThrow(/sealingKeys\[0\] contains a character outside/)
    expect(() => createSealer({ keys: [] })).toThrow(/empty/)
    try {
      createSealer({ keys: [short] })
    } catch (error) {
      expect(String(error)).not.toContain(short)
    }
  })

  test('generateKey returns 32 bytes, randomId any number of bytes', () => {
    expect(generateKey()).toMatch(/^[\w-]{43}$/)
    expect(fromBase64url(randomId(9))?.length).toBe(9)
    expect(randomId()).not.toBe(randomId())
  })
})

describe('base64url', () => {
  test('encodes and decodes as Node does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64url')
        expect(toBase64url(bytes)).toBe(text)
        expect(fromBase64url(text)).toEqual(new Uint8Array(bytes))
      }),
    )
  })

  test('decodes only what it encodes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'AQgw-_=+ é') }), (text) => {
        const bytes = fromBase64url(text)
        expect(bytes === undefined || toBase64url(bytes) === text).toBe(true)
      }),
    )
  })
})

describe('digest', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, member]) => [key, shuffled(member)]),
    )
  }

  test('MRTR-016: depends on everything but the order of members', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (a, b) => {
        expect(JSON.parse(canonicalJson(a))).toEqual(JSON.parse(JSON.stringify(a)))
        expect(await digest(a)).toBe(await digest(shuffled(a)))
        if (canonicalJson(a) !== canonicalJson(b)) expect(await digest(a)).not.toBe(await digest(b))
      }),
    )
  })

  test('distinguishes similar values', () => {
    const values = [
      '{"a":1}',
      '{"a":"1"}',
      '{"a":[1]}',
      '{"a":null}',
      '{}',
      '[]',
      'null',
      '""',
      '{"__proto__":1}',
      '"\\ud800"',
      '"\\ud801"',
    ]
    expect(new Set(values.map((text) => canonicalJson(JSON.parse(text)))).size).toBe(values.length)
    expect(canonicalJson({ b: 1, a: undefined })).toBe('{"b":1}')
  })
})
