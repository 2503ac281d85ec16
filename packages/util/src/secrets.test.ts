import { describe, expect, test } from 'vitest'
import { redactText } from '../../inspector/server/sharing/redact.ts'
import { maskExcerpt, maskValues } from '../../inspector/server/wire/mask.ts'
import { createSecretMask } from '../../portcall/src/diagnostics/oauth-debugger/secret-mask.ts'
import { redactSecrets } from '../../portcall/src/logging/redact.ts'
import { createRedactor } from '../../portcall/src/recording/redact.ts'
import { growthOf } from '../../portcall/test-kit/growth.ts'
import { secretSamples } from '../../portcall/test-kit/secret-samples.ts'
import { createMasker, createNumberedMask } from './mask-secrets.ts'
import { isSecretName, isSecretParameter } from './secret-names.ts'
import { replaceSecrets } from './secrets.ts'

const VALUE = 'correct horse 7'
const replace = (text: string): string => replaceSecrets(text, () => '[redacted]')

/** The functions that remove secrets, each as one of a member and its value. */
const CONSUMERS: readonly (readonly [title: string, show: (name: string, value: unknown) => string])[] = [
  ['logs, audit and telemetry', (name, value) => JSON.stringify(redactSecrets()({ [name]: value }))],
  ['recordings and exports', (name, value) => JSON.stringify(createRedactor()({ [name]: value }))],
  ['headers and variables of the inspector', (name, value) => JSON.stringify(maskValues({ [name]: String(value) }))],
  ['the debugger of sign-ins', (name, value) => showExchange(JSON.stringify({ [name]: value }))],
  ['bodies of sign-ins', (name, value) => maskExcerpt(JSON.stringify({ [name]: value }))],
  ['copied text', (name, value) => redactText(JSON.stringify({ [name]: value }))],
]

function showExchange(body: string): string {
  const exchange = {
    id: 1,
    step: 'token',
    method: 'POST',
    url: 'https://as.example/token',
    headers: {},
    body,
    durationMs: 1,
  } as const
  return createSecretMask().mask(exchange).body ?? ''
}

const SECRET_NAMES = [
  'password',
  'Password',
  'db_password',
  'password2',
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
  'tokenValue',
  'csrf-token',
  'accessTokens',
  'tokenId',
  'Authorization',
  'proxy-authorization',
  'Cookie',
  'Set-Cookie',
  'Mcp-Session-Id',
  'session_id',
  'sessionKey',
  'aws_secret_access_key',
  'AWS_ACCESS_KEY_ID',
  'privateKey',
  'sshKey',
  'SSH_PRIVATE_KEY',
  'signingKey',
  'encryption-key',
  'service_role_key',
  'code_verifier',
  'codeVerifier',
  'client_assertion',
  'device_code',
  'credentials',
  'connectionString',
  'webhook_url',
  'requestState',
  'recoveryCodes',
  'pin',
  'userPin',
  'DB_PASS',
  'MYSQL_PWD',
  'otp',
  'x-auth',
  '_auth',
  'SENTRY_DSN',
  'connect.sid',
  'cvv',
  'DPoP',
] // prettier-ignore
const OTHER_NAMES = [
  'progressToken',
  'nextPageToken',
  'pageToken',
  'continuationToken',
  'nextCursor',
  'maxTokens',
  'max_tokens',
  'inputTokens',
  'max_completion_tokens',
  'cache_read_input_tokens',
  'totalTokens',
  'tokens',
  'tokenCount',
  'token_limit',
  'tokensUsed',
  'tokenizer',
  'eos_token',
  'stopToken',
  'token_type',
  'token_endpoint',
  'tokenUrl',
  'authorization_endpoint',
  'authorization_servers',
  'authorizationUrl',
  'token_endpoint_auth_methods_supported',
  'id_token_signing_alg_values_supported',
  'client_secret_expires_at',
  'secretName',
  'cookiePolicy',
  'passwordless',
  'secretary',
  'author',
  'authority',
  'path',
  'pinned',
  'spin',
  'key',
  'publicKey',
  'monkey',
  'taskId',
  'id',
  'name',
  'uri',
  'mimeType',
  'traceparent',
  'compass',
  'passage',
  'PWD',
  'sidebar',
  'code',
  'signature',
  'state',
  'nonce',
] // prettier-ignore

describe('names', () => {
  test.each(CONSUMERS)('%s agree on the names of secrets', (_, show) => {
    expect(SECRET_NAMES.filter((name) => show(name, VALUE).includes(VALUE))).toEqual([])
  })

  test.each(CONSUMERS)('%s agree on the names of other members', (title, show) => {
    const isSignIn = title === 'the debugger of sign-ins'
    const names = isSignIn ? OTHER_NAMES.filter((name) => !isSecretParameter(name)) : OTHER_NAMES
    expect(names.filter((name) => !show(name, VALUE).includes(VALUE))).toEqual([])
  })

  test('parameters of a query have more names', () => {
    for (const name of ['code', 'assertion', 'sig', 'signature', 'SAMLResponse']) {
      expect([isSecretName(name), isSecretParameter(name)]).toEqual([false, true])
      expect(replace(`https://example.com/cb?a=1&${name}=4f9k2-once`)).toBe(`https://example.com/cb?a=1&${name}=[redacted]`)
    }
    expect(replace('exit code=137, code: 4, signature: f(a)')).toBe('exit code=137, code: 4, signature: f(a)')
  })
})

describe('values', () => {
  test.each(CONSUMERS.filter(([title]) => !title.startsWith('bodies')))('%s agree on the forms of secrets', (title, show) => {
    const randomStays = /headers|sign-ins/.test(title)
    const leaked = secretSamples().filter(({ value, secret }) => {
      const { text } = value as { text?: string }
      if (text === undefined || (randomStays && /^[\da-zA-Z]+$/.test(secret))) return false
      return show('note', text).includes(secret.replaceAll('\n', '\\n'))
    })
    expect(leaked).toEqual([])
  })

  test.each([
    ['Authorization: ApiKey abc123', 'Authorization: ApiKey [redacted]'],
    ['Authorization: Bearer abc123def456', 'Authorization: Bearer [redacted]'],
    ['Cookie: sid=a1; theme=b2', 'Cookie: [redacted]'],
    ['postgres://ada:s3cr3tpw@db.example.com/notes', 'postgres://[redacted]@db.example.com/notes'],
    ['{"password": "a \\"b\\" c", "user": "ada"}', '{"password": "[redacted]", "user": "ada"}'],
    ['{\\"api_key\\": \\"open7\\", \\"a\\": 1}', '{\\"api_key\\": \\"[redacted]\\", \\"a\\": 1}'],
    ['{"tokens": 210, "token": null, "pin": "1234"}', '{"tokens": 210, "token": null, "pin": "[redacted]"}'],
    ['{"refresh_tokens": ["a", "b"], "n": 1}', '{"refresh_tokens": [[redacted]], "n": 1}'],
    ['password               : hunter2', 'password               : [redacted]'],
    ['spring.datasource.password=opensesame', 'spring.datasource.password=[redacted]'],
    ['my api key = opensesame', 'my api key = [redacted]'],
    ["secret='it is' x", "secret='[redacted]' x"],
    ['db://x/?password=unclosed "quote', 'db://x/?password=[redacted] "quote'],
    ['login(user: string, password: string)', 'login(user: string, password: string)'],
    [
      'WWW-Authenticate: Bearer resource_metadata="https://a.example/x"',
      'WWW-Authenticate: Bearer resource_metadata="https://a.example/x"',
    ],
    ['basic knowledge, bearer of news, pin: the map', 'basic knowledge, bearer of news, pin: the map'],
    ['/home/Ada/projects/portcall2/packages/portcall/src', '/home/Ada/projects/portcall2/packages/portcall/src'],
    ['a%20b 100% of %41', 'a%20b 100% of %41'],
  ])('%j', (text, expected) => {
    expect(replace(text)).toBe(expected)
  })

  test('numbers below a secret name are secrets, and counts of tokens are not', () => {
    const redact = createMasker()
    expect(redact({ pin: 1234, usage: { maxTokens: 5, accessTokens: 3 }, cookies: { a: 'x', n: 1 } })).toEqual({
      pin: '[redacted]',
      usage: { maxTokens: 5, accessTokens: 3 },
      cookies: { a: '[redacted]', n: '[redacted]' },
    })
  })

  test('the properties of a schema are not secrets', () => {
    const schema = { type: 'object', properties: { password: { type: 'string' }, token: true }, required: ['password'] }
    expect(createMasker()(schema)).toEqual(schema)
  })

  test('equal secrets have equal numbers, however many and long they are', () => {
    const { mask } = createNumberedMask()
    expect([mask('a'), mask('b'), mask('a'), mask('x'.repeat(1e6)), mask('x'.repeat(1e6))]).toEqual(
      [1, 2, 1, 3, 3].map((number) => `[redacted ${number}]`),
    )
  })
})

describe('long text', () => {
  test('is cut before it is searched, after a word, and says so', () => {
    const redact = redactSecrets({ maxTextLength: 100 })
    expect(redact(`${'word '.repeat(19)}sk-${'a1'.repeat(40)} end`)).toBe(`${'word '.repeat(19)}… [87 more characters]`)
    expect(String(redactSecrets()('word '.repeat(40_000)))).toHaveLength(65_535 + '… [134465 more characters]'.length)
  })

  test('a value with all kinds of members that refer to it ends', () => {
    const value: { self?: unknown; list: unknown[] } = { list: [] }
    value.self = value
    expect(JSON.stringify(redactSecrets()(value))).toContain('[redacted]')
  })
})

/** Beginnings of secrets, and what else the patterns look for. Each is repeated, alone and with others. */
const PIECES = [
  'token',
  'sig',
  'key.',
  'test-',
  'glpat-',
  'sk-',
  'sk_live_',
  'eyJ',
  'eyJaaaaaaaa-',
  'eyJaaaaaaaa.',
  'AKIA',
  'ya29.',
  '1//0',
  'ghp_',
  'github_pat_',
  'xoxb-',
  'hooks.slack.com/services/',
  'SG.',
  'a.atlasv1.',
  'a-',
  'ATATT3',
  'EAAG',
  'SK0',
  '12345678:AA',
  'Maaaaaaaaaaaaaaaaaaaaaaaa.',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY',
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY',
  'Bearer ',
  'bearer',
  'basic ',
  'basic aaaaaaaa',
  'x://',
  'x://a',
  'a:',
  'password',
  'password ',
  'password=',
  'password: ',
  'password="',
  "password='",
  'password=\\"',
  'password=[',
  '"token" :',
  'cookie: ',
  'authorization: x ',
  '?code=',
  '&sig=',
  '=',
  ':',
  ' :',
  '\\":',
  '"',
  "'",
  '\\',
  '%',
  '%41',
  '%zz',
  ' ',
  '\n',
  '\t',
  '\r\n',
  '\u001b',
  'a',
  'A1b',
  'f',
  '0',
  '-',
  '_',
  '.',
  '/',
  '+',
  '@',
  '\ud83d\ude00',
  '\u200b',
  '[redacted',
  '\u2022\u2022\u2022\u2022',
  'password=\u2022\u2022\u2022\u2022',
  'password=[redacted]',
  'password=[\u2022\u2022\u2022\u2022',
  '?sig=\u2022\u2022\u2022\u2022',
  'cookie: \u2022\u2022\u2022\u2022',
] // prettier-ignore

const DETECTORS: readonly (readonly [title: string, run: (text: string) => unknown])[] = [
  ['replaceSecrets', replace],
  ['redactSecrets without a limit', redactSecrets({ maxTextLength: Number.POSITIVE_INFINITY })],
  ['redactSecrets', redactSecrets()],
  ['recordings', createRedactor()],
  ['headers', (text) => maskValues({ [text]: text, authorization: text })],
  ['names', (text) => isSecretParameter(text)],
  ['a sign-in', (text) => showExchange(text)],
]

test.each(DETECTORS)('%s takes linear time', (_, run) => {
  const texts = [...PIECES, ...PIECES.map((piece) => `${piece}a1 `), ...PIECES.map((piece) => `x${piece}password`)]
  const slow = texts.flatMap((piece) => {
    const growth = growthOf(run, (size) => piece.repeat(Math.ceil(size / piece.length)))
    return growth > 3 ? [{ piece, growth }] : []
  })
  expect(slow).toEqual([])
})

test('a value behind many backslashes takes linear time', () => {
  const growth = growthOf(replace, (size) => `password=${'\\'.repeat(size / 2)}"${'\\'.repeat(size / 2)}`)
  expect(growth).toBeLessThanOrEqual(3)
})

test('the secret of a webhook is found wherever its base64 has a plus or a slash', () => {
  for (const secret of [
    'whsec_ma5VvHs8N+1e+LLdaICHx2vJepcljY5cbhD5dDI/Clg=',
    'whsec_+/+/AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0=',
  ])
    expect(replaceSecrets(`the secret ${secret} of`, () => '[redacted]', { random: false })).toBe('the secret [redacted] of')
})
