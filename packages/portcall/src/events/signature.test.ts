import { describe, expect, test } from 'vitest'
import { checkSignature, createWebhookSecret, isWebhookSecret, type SignatureHeaders, signWebhook } from './signature.ts'

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
/** The examples of the specification and the vector of the Standard Webhooks project: [secret, id, timestamp, body, signature]. */
const VECTORS = [
  [
    SECRET,
    'msg_verification_4f1c',
    1795770600,
    '{"type":"verification","challenge":"n3Yq-5mE7w0kT1"}',
    '9zS7quhJDohJ6gQk2zgqUKh20ab6aH02PZ6dhXAnO3o=',
  ],
  [
    SECRET,
    'ord-7731',
    1795770904,
    '{"eventId":"ord-7731","name":"order.created","timestamp":"2026-11-27T09:15:04Z","data":{"orderId":"7731","total":42.5},"cursor":"c-108"}',
    'q4JgCFiBYXSd1tZ1qzsCGg/GeymOoavJpFFtVio1228=',
  ],
  [SECRET, 'msg_gap_91ab', 1795774504, '{"type":"gap","cursor":"c-140"}', 'QAZsJWeGEnVQq0MFgWDTo5Lf9y3L9Es1u7Rrgl6ZUuc='],
  [
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1614265330,
    '{"test": 2432232314}',
    'g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
] as const

describe('the known vectors', () => {
  test.each(VECTORS)('%s %s', async (secret, id, timestamp, body, signature) => {
    expect(await signWebhook(secret, { id, timestamp, body })).toBe(`v1,${signature}`)
    const headers = { id, timestamp: String(timestamp), signature: `v1,${signature}` }
    const now = (): number => timestamp * 1000
    expect(await checkSignature(headers, new TextEncoder().encode(body), { secrets: secret, now })).toEqual({
      type: 'valid',
      secret,
    })
  })
})

describe('checkSignature', () => {
  const NOW = 1795770904
  const BODY = '{"a":"ü"}'
  const check = async (
    change: Partial<SignatureHeaders>,
    { secrets = SECRET, body = BODY, seconds = NOW }: { secrets?: string | string[]; body?: string; seconds?: number } = {},
  ): Promise<unknown> => {
    const signature = await signWebhook(SECRET, { id: 'e1', timestamp: NOW, body: BODY })
    return checkSignature({ id: 'e1', timestamp: String(NOW), signature, ...change }, body, {
      secrets,
      now: () => seconds * 1000,
    })
  }

  test('EVT-095 accepts one of several signatures and one of several secrets, and ignores those of version v1a', async () => {
    const other = createWebhookSecret()
    const both = await signWebhook([other, SECRET], { id: 'e1', timestamp: NOW, body: BODY })
    expect(both.split(' ')).toHaveLength(2)
    expect(await check({ signature: both })).toEqual({ type: 'valid', secret: SECRET })
    expect(await check({ signature: `v1a,AAAA ${both}` }, { secrets: [createWebhookSecret(), other] })).toEqual({
      type: 'valid',
      secret: other,
    })
  })

  test('accepts a secret without padding', async () => {
    expect(await check({}, { secrets: SECRET.replace('=', '') })).toMatchObject({ type: 'valid' })
  })

  test.each([
    ['another body', {}, { body: `${BODY} ` }],
    ['another id', { id: 'e2' }, {}],
    ['another timestamp', { timestamp: String(NOW + 1) }, {}],
    ['another secret', {}, { secrets: createWebhookSecret() }],
    ['no secret', {}, { secrets: [] }],
    ['secrets that are too short', {}, { secrets: ['', 'whsec_', 'whsec_AAAA'] }],
    ['only signatures of another version', { signature: 'v1a,AAAA v2,AAAA' }, {}],
    ['an empty signature', { signature: 'v1,' }, {}],
    ['a signature with other letters', { signature: 'v1,é=' }, {}],
  ])('refuses %s', async (_, change, options) => {
    expect(await check(change, options)).toEqual({ type: 'mismatch' })
  })

  test.each([
    ['no id', { id: null }],
    ['no timestamp', { timestamp: undefined }],
    ['no signature', { signature: '' }],
    ['a timestamp in another form', { timestamp: '2026-11-27T09:15:04Z' }],
    ['a negative timestamp', { timestamp: '-1' }],
    ['an endless timestamp', { timestamp: '1'.repeat(1000) }],
    ['endless signatures', { signature: 'v1,x '.repeat(10_000) }],
  ])('refuses %s as malformed', async (_, change) => {
    expect(await check(change)).toEqual({ type: 'malformed' })
  })

  test('refuses timestamps that are more than 5 minutes off, in both directions', async () => {
    expect(await check({}, { seconds: NOW + 300 })).toMatchObject({ type: 'valid' })
    expect(await check({}, { seconds: NOW - 300 })).toMatchObject({ type: 'valid' })
    expect(await check({}, { seconds: NOW + 301 })).toEqual({ type: 'expired' })
    expect(await check({}, { seconds: NOW - 301 })).toEqual({ type: 'expired' })
  })
})

describe('secrets', () => {
  test('EVT-070 a new one is 32 random bytes', () => {
    expect(createWebhookSecret()).toMatch(/^whsec_[\w+/]{43}=$/)
    expect(createWebhookSecret()).not.toBe(createWebhookSecret())
    expect(isWebhookSecret(createWebhookSecret())).toBe(true)
  })

  test.each([
    ['24 bytes', `whsec_${btoa('x'.repeat(24))}`, true],
    ['64 bytes', `whsec_${btoa('x'.repeat(64))}`, true],
    ['23 bytes', `whsec_${btoa('x'.repeat(23))}`, false],
    ['65 bytes', `whsec_${btoa('x'.repeat(65))}`, false],
    ['no prefix', btoa('x'.repeat(32)), false],
    ['base64url', `whsec_${'-_'.repeat(20)}`, false],
    ['one letter too many', `whsec_${'A'.repeat(33)}`, false],
    ['whitespace', `whsec_${btoa('x'.repeat(32))}\n`, false],
    ['no text', 42, false],
  ])('%s', (_, text, expected) => {
    expect(isWebhookSecret(text)).toBe(expected)
  })

  test('signing with a text that is no secret fails, without the text in the message', async () => {
    await expect(signWebhook('password1', { id: 'a', timestamp: 1, body: '' })).rejects.toThrow(/^A webhook secret is whsec_/)
  })
})
