import assert from 'node:assert/strict'
import test from 'node:test'
import { authorizationServer } from 'portcall/testing'

test('the response names another issuer', async () => {
  const login = await authorizationServer({ clients: [{ client_id: 'app', redirect_uris: ['https://app.example/back'] }] })
  login.setFaults({ redirect: { iss: 'https://evil.example' }, responses: { token: { delayMs: 1000 } } })

  const url = new URL(`${login.issuer}/authorize`)
  url.search = String(
    new URLSearchParams({
      client_id: 'app',
      redirect_uri: 'https://app.example/back',
      response_type: 'code',
      code_challenge: 'x',
      code_challenge_method: 'S256',
    }),
  )
  const response = await fetch(url, { redirect: 'manual' })
  assert.equal(new URL(response.headers.get('location') ?? '').searchParams.get('iss'), 'https://evil.example')
  await login.close()
})
