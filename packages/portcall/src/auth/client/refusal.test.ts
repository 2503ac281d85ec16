import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { clean } from './refusal.ts'
import { requestTokens } from './token.ts'

/** A token endpoint that answers with one thing. */
function asking(answer: unknown, status = 200) {
  const context = {
    server: { issuer: 'https://login.example.com', token_endpoint: 'https://login.example.com/token' },
    resource: 'https://mcp.example.com/mcp',
    fetch: async () => Response.json(answer, { status }),
    dpop: undefined,
    signal: AbortSignal.timeout(60_000),
  }
  return requestTokens(context, { clientId: 'app', clientSecret: 'canary-secret' }, { grant_type: 'x', code: 'canary-code' })
}

test('X07 an error about a token response holds neither tokens nor what was sent for them, however deep one looks', async () => {
  const tokens = { access_token: 'canary-access', refresh_token: 'canary-refresh' }
  const answers = [
    { ...tokens, token_type: 'mac' },
    { ...tokens, token_type: 7 },
    { ...tokens, token_type: 'Bearer', expires_in: 'x' },
  ]
  for (const answer of [...answers, { error: 'invalid_grant' }, 'text']) {
    const error: unknown = await asking(answer).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'AUTH_FAILED', fault: 'token_refused' })
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('canary')
  }
})

test('a lifetime without measure is a long one', async () => {
  const { expiresAt = 0 } = await asking({ access_token: 'a', token_type: 'Bearer', expires_in: 1e300 })
  expect(expiresAt).toBeGreaterThan(Date.now() + 3e10)
  expect(Number.isSafeInteger(expiresAt)).toBe(true)
})

test('X09 text of strangers has no control characters, no changes of direction, and nothing that nobody sees', () => {
  const text = 'Ünïcode 文字 ok\u001b[31m \u009b \u202e \u2066 \u200b \ufeff \u{e0041} \ud800 end'
  expect(clean(text).replace(/ +/g, ' ')).toBe('Ünïcode 文字 ok [31m end')
  expect(clean('x'.repeat(1000))).toHaveLength(300)
})
