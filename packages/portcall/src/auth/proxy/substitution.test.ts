/** Two resources that share a store, sealing keys and an identity provider: what was issued for one must be worthless for the other. */
import { expect, test } from 'vitest'
import { createNotesServer, ERAS, HANDLERS, startIssuer, whoami } from '../../../test-kit/auth/protected-server.ts'
import {
  authorizePath,
  CHALLENGE,
  codeForm,
  createBrowser,
  locationOf,
  refreshForm,
  register,
  requestTokens,
  sealedRequestOf,
} from '../../../test-kit/auth/proxy.ts'
import { memoryStores } from '../../stores/memory/memory.ts'
import { generateKey } from '../../stores/sealing/seal.ts'
import { protect } from '../server/protect.ts'
import { oauthProxy } from './proxy.ts'

const RESOURCES = ['https://first.example/mcp', 'https://second.example/mcp'] as const

async function startTwo() {
  const redirect_uris = RESOURCES.map((resource) => `${new URL(resource).origin}/authorize/callback`)
  const idp = await startIssuer({ clients: [{ client_id: 'portcall', client_secret: 's', redirect_uris }] })
  const { store } = memoryStores()
  const shared = { store, sealingKeys: [generateKey()], scopes: ['notes:read'], identify: () => ({ subject: 'ann' }) }
  const { issuer } = idp
  const upstream = {
    issuer,
    authorizationEndpoint: `${issuer}/authorize`,
    tokenEndpoint: `${issuer}/token`,
    clientId: 'portcall',
    clientSecret: 's',
  }
  const start = async (resource: string) => {
    const proxy = oauthProxy({ ...shared, resource, upstream })
    const send = await HANDLERS.fetch(createNotesServer(), protect({ resource, verify: proxy }))
    const visitor = createBrowser(send)
    const { origin } = new URL(resource)
    /** Signs in up to the callback, and returns its path. */
    const signIn = async (clientId: string): Promise<string> => {
      const page = await visitor.get(authorizePath(clientId, { resource, code_challenge: CHALLENGE }))
      const allowed = await visitor.post('/authorize', { request: await sealedRequestOf(page), decision: 'allow' }, { origin })
      const callback = locationOf(await fetch(locationOf(allowed), { redirect: 'manual' }))
      return callback.pathname + callback.search
    }
    const obtainCode = async (clientId: string): Promise<string> =>
      locationOf(await visitor.get(await signIn(clientId))).searchParams.get('code') ?? ''
    return { proxy, send, visitor, resource, signIn, obtainCode }
  }
  return { first: await start(RESOURCES[0]), second: await start(RESOURCES[1]) }
}

test('an access token of one resource is refused by the other', async () => {
  const { first, second } = await startTwo()
  const clientId = await register(first.send)
  const form = { ...codeForm(clientId, await first.obtainCode(clientId)), resource: first.resource }
  const { json } = await requestTokens(first.send, form)
  const auth = await whoami(first.send, `Bearer ${json.access_token}`)
  expect(auth.subject).toBe('ann')
  expect((await ERAS.modern(second.send, 'whoami', { authorization: `Bearer ${json.access_token}` })).status).toBe(401)
  const foreign = { ...auth, issuer: new URL(second.resource).origin }
  await expect(second.proxy.upstreamToken(foreign as never)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
})

test('codes and refresh tokens of one resource are refused by the other, and remain valid', async () => {
  const { first, second } = await startTwo()
  const clientId = await register(first.send)
  const code = await first.obtainCode(clientId)
  const { resource } = second
  expect(await requestTokens(second.send, { ...codeForm(clientId, code), resource })).toMatchObject({
    json: { error: 'invalid_grant' },
  })
  const { json } = await requestTokens(first.send, { ...codeForm(clientId, code), resource: first.resource })
  const form = refreshForm(clientId, json.refresh_token)
  expect(await requestTokens(second.send, { ...form, resource })).toMatchObject({ json: { error: 'invalid_grant' } })
  expect((await requestTokens(first.send, { ...form, resource: first.resource })).status).toBe(200)
})

test('a sign-in that was started at one resource cannot be finished at the other', async () => {
  const { first, second } = await startTwo()
  const callback = await first.signIn(await register(first.send))
  for (const [name, value] of first.visitor.cookies) second.visitor.cookies.set(name, value)
  const response = await second.visitor.get(callback)
  expect([response.status, response.headers.get('location')]).toEqual([400, null])
})

test('a client that registered at one resource is unknown at the other', async () => {
  const { first, second } = await startTwo()
  const clientId = await register(first.send)
  const response = await second.visitor.get(authorizePath(clientId, { resource: second.resource }))
  expect([response.status, response.headers.get('location')]).toEqual([401, null])
})
