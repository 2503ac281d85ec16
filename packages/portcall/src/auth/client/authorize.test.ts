import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../stores/memory-store.ts'
import { type AttemptOptions, beginAttempt, insecureUnadvertisedPkce } from './authorize.ts'
import type { AuthError } from './errors.ts'
import { createGuard } from './http/fetch.ts'
import type { AuthorizationServer, GrantContext } from './types.ts'

const ISSUER = 'https://login.example.com'
const SERVER: AuthorizationServer = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize?tenant=x`,
  token_endpoint: `${ISSUER}/token`,
  code_challenge_methods_supported: ['plain', 'S256'],
}
const OPTIONS: AttemptOptions = { client: { clientId: 'app' }, redirectUri: 'http://127.0.0.1:7777/callback' }

function context(more: Partial<AuthorizationServer> = {}, scope?: string): GrantContext & { sent: URLSearchParams[] } {
  const sent: URLSearchParams[] = []
  const endpoint = new URL('https://api.example.com/mcp')
  const { openable } = createGuard({ given: endpoint })
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
    openable,
    dpop: undefined,
    signal: new AbortController().signal,
  }
}

const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: AuthError) => error.fault ?? String(error),
  )

describe('an authorization request', () => {
  test('says who asks for what, and holds a challenge', async () => {
    const { url, state } = await beginAttempt(context({}, 'a offline_access'), OPTIONS)
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
    expect((await beginAttempt(context(), OPTIONS)).url.searchParams.has('scope')).toBe(false)
  })

  test.each([[undefined], [[]], [['plain']], [['s256']]])('C58 C59 is not made to who supports PKCE as %j', async (methods) => {
    const server = { code_challenge_methods_supported: methods as string[] }
    expect(await faultOf(beginAttempt(context(server), OPTIONS))).toBe('pkce_unsupported')
    const { url } = await beginAttempt(context(server), { ...OPTIONS, pkce: insecureUnadvertisedPkce })
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
  })

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
    expect(await faultOf(beginAttempt(context({ authorization_endpoint }), OPTIONS))).toBe('address_refused')
  })
})

describe('an authorization response', () => {
  const finish = async (
    response: (state: string) => Record<string, string> | string,
    server: Partial<AuthorizationServer> = {},
  ) => {
    const given = context(server)
    const { state, finish: end } = await beginAttempt(given, OPTIONS)
    return { fault: await faultOf(end(new URLSearchParams(response(state)))), sent: given.sent }
  }
  const advertised = { authorization_response_iss_parameter_supported: true }

  test('has its code changed for tokens, with the verifier of the attempt', async () => {
    const given = context()
    const attempt = await beginAttempt(given, OPTIONS)
    const tokens = await attempt.finish(new URLSearchParams({ code: 'c', state: attempt.state, iss: ISSUER }))
    expect(tokens).toMatchObject({ accessToken: 't', tokenType: 'bearer', expiresAt: expect.any(Number) })
    const [form] = given.sent
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
  ])('C63 whose issuer is %s', async (_title, iss, server, fault) => {
    const result = await finish((state) => ({ code: 'c', state, ...(iss !== undefined && { iss }) }), server)
    expect(result.fault).toBe(fault)
    expect(result.sent.length).toBe(fault === 'none' ? 1 : 0)
  })

  test('C63 with a wrong issuer is not quoted', async () => {
    const attempt = await beginAttempt(context(), OPTIONS)
    const response = new URLSearchParams({ error: 'call_this_number', state: attempt.state, iss: 'https://evil.example' })
    const error = await attempt.finish(response).catch((reason: unknown) => reason as AuthError)
    expect(error).toMatchObject({ fault: 'issuer_mismatch' })
    expect(JSON.stringify([error, String(error)])).not.toContain('call_this_number')
  })

  test.each([
    ['of another attempt', () => ({ code: 'c', state: 'other' })],
    ['without a state', () => ({ code: 'c' })],
    ['with two states', (state: string) => `code=c&state=${state}&state=${state}`],
    ['with two codes', (state: string) => `code=c&code=d&state=${state}`],
    ['that is an error of another attempt', () => ({ error: 'access_denied', state: 'other' })],
  ])('%s is dropped', async (_title, response) => {
    const { fault, sent } = await finish(response)
    expect(fault).toMatch(/^(state_mismatch|denied)$/)
    expect(sent).toEqual([])
  })

  test('that is a refusal says so, without what a terminal would obey', async () => {
    const attempt = await beginAttempt(context(), OPTIONS)
    const given = { error: 'access_denied', error_description: 'no\u001b[2J!', state: attempt.state }
    await expect(attempt.finish(new URLSearchParams(given))).rejects.toMatchObject({
      code: 'AUTH_FAILED',
      fault: 'denied',
      refusal: { error: 'access_denied', description: 'no [2J!' },
    })
  })
})
