import { describe, expect, test } from 'vitest'
import { createRedactor } from './redact.ts'

/** Deterministic text that looks random. */
function random(length: number, alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'): string {
  let state = length * 7919 + alphabet.length
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return alphabet[state % alphabet.length]
  }).join('')
}

const HEX = '0123456789abcdef'
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Secrets with a form of their own. */
const FORMS: readonly string[] = [
  `ghp_${random(36)}`,
  `gho_${random(36)}`,
  `github_pat_${random(60)}`,
  `glpat-${random(20)}`,
  `xoxb-${random(12, '0123456789')}-${random(24)}`,
  `xapp-1-${random(20)}`,
  `sk-${random(48)}`,
  `sk-proj-${random(48)}`,
  `sk-ant-api03-${random(60)}`,
  `sk_live_${random(24)}`,
  `rk_test_${random(24)}`,
  `whsec_${random(32)}`,
  `AKIA${random(16, UPPER)}`,
  `ASIA${random(16, UPPER)}`,
  `AIza${random(35)}`,
  `ya29.${random(60)}`,
  `GOCSPX-${random(28)}`,
  `npm_${random(36)}`,
  `hf_${random(34)}`,
  `SG.${random(22)}.${random(43)}`,
  `dop_v1_${random(64, HEX)}`,
  `shpat_${random(32, HEX)}`,
  `lin_api_${random(40)}`,
  `hvs.${random(40)}`,
  `eyJhbGciOiJIUzI1NiJ9.${random(40)}.${random(43)}`,
  `${random(10, '123456789')}:AA${random(33)}`,
  random(32, HEX),
  random(40, HEX),
  random(64, HEX),
  random(48),
  `-----BEGIN PRIVATE KEY-----\n${random(64)}\n-----END PRIVATE KEY-----`,
]

/** Where a secret with a form can be. `$` is its place. */
const PLACES: readonly ((secret: string) => unknown)[] = [
  (secret) => secret,
  (secret) => ({ text: `the key is ${secret}, keep it` }),
  (secret) => ({ content: [{ type: 'text', text: `{"value":"${secret}"}` }] }),
  (secret) => ({ structuredContent: { nested: { list: [secret] } } }),
  (secret) => ({ error: { code: -32603, message: `refused ${secret}` } }),
]

/** Secrets that only their name gives away. */
const NAMES = [
  'password',
  'Password',
  'db_password',
  'passwd',
  'passphrase',
  'secret',
  'clientSecret',
  'client_secret',
  'apiKey',
  'api-key',
  'X-API-Key',
  'access_token',
  'refreshToken',
  'id_token',
  'authToken',
  'Authorization',
  'proxy-authorization',
  'Cookie',
  'Set-Cookie',
  'Mcp-Session-Id',
  'session_id',
  'aws_secret_access_key',
  'privateKey',
  'code_verifier',
  'client_assertion',
  'credentials',
  'connectionString',
  'webhook_url',
  'pin',
  'requestState',
]
const HIDDEN = 'correct horse 7'

/** Text with secrets that a name or a place gives away. */
const TEXTS: readonly (readonly [text: string, secret: string])[] = [
  ['Authorization: Bearer abc123def456', 'abc123def456'],
  ['Authorization: Basic YWRhOnNlY3JldDE=', 'YWRhOnNlY3JldDE='],
  ['postgres://ada:s3cr3tpw@db.example.com/notes', 's3cr3tpw'],
  ['https://api.example.com/x?access_token=zzTopSecret9&y=1', 'zzTopSecret9'],
  ['https://api.example.com/cb?code=4f9k2-one-time', '4f9k2-one-time'],
  ['password=opensesame1 user=ada', 'opensesame1'],
  ['{"password":"opensesame2"}', 'opensesame2'],
  ['{\\"api_key\\": \\"opensesame3\\"}', 'opensesame3'],
  ["secret: 'opensesame4'", 'opensesame4'],
  ['DB_PASSWORD=opensesame5', 'opensesame5'],
  ['export API_KEY=opensesame6', 'opensesame6'],
  ['session-id: opensesame7', 'opensesame7'],
  ['Cookie: sid=opensesame8', 'opensesame8'],
  ['token = opensesame9', 'opensesame9'],
  ['AccountKey=opensesame10;Endpoint=x', 'opensesame10'],
]

const SAMPLES: readonly { readonly value: unknown; readonly secret: string }[] = [
  ...FORMS.flatMap((secret) => PLACES.map((place) => ({ value: place(secret), secret }))),
  ...NAMES.map((name) => ({ value: { [name]: HIDDEN }, secret: HIDDEN })),
  ...TEXTS.map(([text, secret]) => ({ value: { text }, secret })),
]

describe('secrets in messages', () => {
  test('there are at least 200 samples', () => {
    expect(SAMPLES.length).toBeGreaterThanOrEqual(200)
  })

  test('no sample survives', () => {
    const redact = createRedactor()
    const hits = SAMPLES.filter(({ value, secret }) => {
      const json = JSON.stringify(redact(value))
      return json.includes(JSON.stringify(secret).slice(1, -1))
    })
    expect(hits.map(({ value }) => JSON.stringify(value).slice(0, 120))).toEqual([])
  })

  test('what is no secret stays', () => {
    const message = {
      progressToken: 'abc',
      nextCursor: random(60),
      description: 'Searches for a pattern in the design: modern, signals: 3, tokens: 210',
      uri: 'file:///home/Ada/projects/portcall2/packages/portcall/src/inspector/doctor',
      mimeType: 'image/png',
      data: `${random(200)}==`,
      isSecret: true,
      inputSchema: { type: 'object', properties: { password: { type: 'string' } }, required: ['password'] },
      when: '2026-11-24T19:00:00.000Z',
      id: '3f0e2a52-8d0c-4b9e-9f7a-1f2e3d4c5b6a',
      maxTokens: 100,
    }
    expect(createRedactor()(message)).toEqual(message)
  })
})
