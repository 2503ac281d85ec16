import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { sanitizeText } from './oauth-response.ts'
import { requestTokens } from './token-endpoint.ts'

/** Requests tokens from an endpoint with a fixed response. */
function requestFrom(response: unknown, status = 200) {
  const context = {
    server: { issuer: 'https://login.example.com', token_endpoint: 'https://login.example.com/token' },
    resource: 'https://mcp.example.com/mcp',
    fetch: async () => Response.json(response, { status }),
    dpop: undefined,
    signal: AbortSignal.timeout(60_000),
  }
  return requestTokens(context, { clientId: 'app', clientSecret: 'canary-secret' }, { grant_type: 'x', code: 'canary-code' })
}

test('X07 an error about a token response contains neither tokens nor request parameters, at any depth', async () => {
  const tokens = { access_token: 'canary-access', refresh_token: 'canary-refresh' }
  const responses = [
    { ...tokens, token_type: 'mac' },
    { ...tokens, token_type: 'N_A' },
    { ...tokens, access_token: 'canary access', token_type: 'Bearer' },
    { refresh_token: 'canary-refresh' },
  ]
  for (const response of [...responses, { error: 'invalid_grant' }, 'text']) {
    const error: unknown = await requestFrom(response).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'AUTH_FAILED', reason: 'token_refused' })
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('canary')
  }
})

test('an excessive lifetime is shortened', async () => {
  const { expiresAt = 0 } = await requestFrom({ access_token: 'a', token_type: 'Bearer', expires_in: 1e300 })
  expect(expiresAt).toBeGreaterThan(Date.now() + 3e10)
  expect(Number.isSafeInteger(expiresAt)).toBe(true)
})

test('X09 sanitized text has no control characters, no direction marks and no invisible characters', () => {
  const text = 'Ünïcode 文字 ok\u001b[31m \u009b \u202e \u2066 \u200b \ufeff \u{e0041} \ud800 end'
  expect(sanitizeText(text).replace(/ +/g, ' ')).toBe('Ünïcode 文字 ok [31m end')
  expect(sanitizeText('x'.repeat(1000))).toHaveLength(300)
})
