import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../stores/memory/store.ts'
import type { AuthError } from '../errors.ts'
import { createSafeFetch } from '../http/safe-fetch.ts'
import type { AuthorizationServer, GrantContext } from '../types.ts'
import {
  type AuthorizationAttemptOptions,
  createAuthorizationAttempt,
  insecureUnadvertisedPkce,
} from './authorization-attempt.ts'

const ISSUER = 'https://login.example.com'
const SERVER: AuthorizationServer = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize?tenant=x`,
  token_endpoint: `${ISSUER}/token`,
  code_challenge_methods_supported: ['plain', 'S256'],
}
const OPTIONS: AuthorizationAttemptOptions = { client: { clientId: 'app' }, redirectUri: 'http://127.0.0.1:7777/callback' }

function context(more: Partial<AuthorizationServer> = {}, scope?: string): GrantContext & { sent: URLSearchParams[] } {
  const sent: URLSearchParams[] = []
  const endpoint = new URL('https://api.example.com/mcp')
  const { checkBrowserUrl } = createSafeFetch({ trustedUrl: endpoint })
  return {
    sent,
    endpoint,
    server: { ...SERVER, ...more },
    resource: 'https://API.example.com/mcp',
    scope,
    store: createMemoryStore(),
    async fetch(_url, init) {
      sent.push(new URLSearchParams(String(init?.body)))
      return Response.json({ access_token: 't', token_type: 'Bearer', expires_in: '60', id_token: 'x', scope: null })
    },
    checkBrowserUrl,
    dpop: undefined,
    signal: new AbortController().signal,
  }
}

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: AuthError) => error.reason ?? String(error),
  )

describe('an authorization request', () => {
  test('contains client, resource, scope and a PKCE challenge', async () => {
    const { url, state } = await createAuthorizationAttempt(context({}, 'a offline_access'), OPTIONS)
    const { code_challenge, ...parameters } = Object.fromEntries(url.searchParams)
    expect(url.href.startsWith(`${ISSUER}/authorize?tenant=x&`)).toBe(true)
    expect(parameters).toEqual({
      tenant: 'x',
      response_type: 'code',
      client_id: 'app',
      redirect_uri: OPTIONS.redirectUri,
      state,
      code_challenge_method: 'S256',
      resource: 'https://API.example.com/mcp',
      scope: 'a offline_access',
      prompt: 'consent',
    })
    expect(code_challenge).toMatch(/^[\w-]{43}$/)
    expect((await createAuthorizationAttempt(context(), OPTIONS)).url.searchParams.has('scope')).toBe(false)
  })

  test.each([[undefined], [[]], [['plain']], [['s256']]])(
    'C58 C59 is not created for a server that advertises %j as its PKCE methods',
    async (methods) => {
      const server = { code_challenge_methods_supported: methods as string[] }
      expect(await reasonOf(createAuthorizationAttempt(context(server), OPTIONS))).toBe('pkce_unsupported')
      const { url } = await createAuthorizationAttempt(context(server), { ...OPTIONS, pkce: insecureUnadvertisedPkce })
      expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    },
  )

  test.each([
    'javascript:alert(1)//',
    'file:///etc/passwd',
    'data:text/html,<script>',
    'vbscript:x',
    'ms-settings:x',
    'http://evil.example/authorize',
    'http://127.0.0.1/authorize',
    'https://10.0.0.5/authorize',
    'https://a.example/$(calc)`;&/',
    'https://a.example/x?y=$(calc)',
    'https://user:secret@a.example/',
    '//a.example/authorize',
  ])('C57 never opens %s', async (authorization_endpoint) => {
    expect(await reasonOf(createAuthorizationAttempt(context({ authorization_endpoint }), OPTIONS))).toBe('address_refused')
  })
})

describe('an authorization response', () => {
  const finish = async (
    response: (state: string) => Record<string, string> | string,
    server: Partial<AuthorizationServer> = {},
  ) => {
    const grantContext = context(server)
    const { state, redeem } = await createAuthorizationAttempt(grantContext, OPTIONS)
    return { reason: await reasonOf(redeem(new URLSearchParams(response(state)))), sent: grantContext.sent }
  }
  const advertised = { authorization_response_iss_parameter_supported: true }

  test('has its code exchanged for tokens with the verifier of the request', async () => {
    const grantContext = context()
    const attempt = await createAuthorizationAttempt(grantContext, OPTIONS)
    const tokens = await attempt.redeem(new URLSearchParams({ code: 'c', state: attempt.state, iss: ISSUER }))
    expect(tokens).toMatchObject({ accessToken: 't', tokenType: 'bearer', expiresAt: expect.any(Number) })
    const [form] = grantContext.sent
    expect(Object.fromEntries(form!)).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: OPTIONS.redirectUri,
      code_verifier: expect.stringMatching(/^[\w-]{43,}$/),
      client_id: 'app',
      resource: 'https://API.example.com/mcp',
    })
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(form!.get('code_verifier')!))
    expect(Buffer.from(digest).toString('base64url')).toBe(attempt.url.searchParams.get('code_challenge'))
  })

  test.each([
    ['advertised and right', ISSUER, advertised, 'none'],
    ['advertised and absent', undefined, advertised, 'issuer_mismatch'],
    ['advertised and wrong', 'https://evil.example', advertised, 'issuer_mismatch'],
    ['not advertised and right', ISSUER, {}, 'none'],
    ['not advertised and absent', undefined, {}, 'none'],
    ['not advertised and wrong', 'https://evil.example', {}, 'issuer_mismatch'],
    ['equal after normalising', `${ISSUER}/`, advertised, 'issuer_mismatch'],
    ['equal but for case', 'https://LOGIN.example.com', advertised, 'issuer_mismatch'],
    ['equal but for the port', `${ISSUER}:443`, advertised, 'issuer_mismatch'],
    ['empty', '', {}, 'issuer_mismatch'],
  ])('C63 whose issuer is %s', async (_title, iss, server, reason) => {
    const result = await finish((state) => ({ code: 'c', state, ...(iss !== undefined && { iss }) }), server)
    expect(result.reason).toBe(reason)
    expect(result.sent.length).toBe(reason === 'none' ? 1 : 0)
  })

  test('C63 with a wrong issuer is not quoted in the error', async () => {
    const attempt = await createAuthorizationAttempt(context(), OPTIONS)
    const response = new URLSearchParams({ error: 'call_this_number', state: attempt.state, iss: 'https://evil.example' })
    const error = await attempt.redeem(response).catch((reason: unknown) => reason as AuthError)
    expect(error).toMatchObject({ reason: 'issuer_mismatch' })
    expect(JSON.stringify([error, String(error)])).not.toContain('call_this_number')
  })

  test.each([
    ['of another attempt', () => ({ code: 'c', state: 'other' })],
    ['without a state', () => ({ code: 'c' })],
    ['with two states', (state: string) => `code=c&state=${state}&state=${state}`],
    ['with two codes', (state: string) => `code=c&code=d&state=${state}`],
    ['that is an error of another attempt', () => ({ error: 'access_denied', state: 'other' })],
  ])('%s is refused', async (_title, response) => {
    const { reason, sent } = await finish(response)
    expect(reason).toMatch(/^(state_mismatch|denied)$/)
    expect(sent).toEqual([])
  })

  test('with an error is reported without terminal control characters', async () => {
    const attempt = await createAuthorizationAttempt(context(), OPTIONS)
    const response = { error: 'access_denied', error_description: 'no\u001b[2J!', state: attempt.state }
    await expect(attempt.redeem(new URLSearchParams(response))).rejects.toMatchObject({
      code: 'AUTH_FAILED',
      reason: 'denied',
      response: { error: 'access_denied', description: 'no [2J!' },
    })
  })
})
