import { beforeEach, expect, test, vi } from 'vitest'
import { openClient, startProtectedServer } from '../../../../test-kit/auth/scripted-protected-server.ts'
import type { AuthError } from '../errors.ts'
import { type DeviceAuthorization, deviceCode } from './device-code.ts'

const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: AuthError) => error.reason ?? String(error),
  )
/** The delays between token requests. */
const delays: number[] = []
vi.mock('../../../../../util/src/timers.ts', async (original) => ({
  ...(await original<typeof import('../../../../../util/src/timers.ts')>()),
  delay: async (ms: number) => void delays.push(ms),
}))
beforeEach(() => void delays.splice(0))

const approve = async ({ verificationUriComplete }: DeviceAuthorization) => void (await fetch(verificationUriComplete!))
const errorResponse = (error: string, status = 400) => ({ status, body: { error } })

test('a user signs in on another device', async () => {
  const server = await startProtectedServer()
  server.requiredScope = 'notes:read'
  const prompts: DeviceAuthorization[] = []
  const { call } = openClient(server.url, deviceCode({ prompt: (code) => approve(code).then(() => void prompts.push(code)) }))
  expect(await call()).toBe(200)
  expect(prompts).toEqual([
    {
      userCode: expect.any(String),
      verificationUri: expect.any(URL),
      verificationUriComplete: expect.any(URL),
      expiresAt: expect.any(Number),
    },
  ])
  const [request] = server.login.requestsTo('device')
  expect(Object.fromEntries(request!.parameters)).toMatchObject({ resource: server.url, scope: 'notes:read' })
  const registration = server.login.requestsTo('register')[0]?.body
  expect(registration).toMatchObject({ grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'] })
  expect(registration).not.toHaveProperty('redirect_uris')
  expect(server.login.requestsTo('token').at(-1)?.parameters.get('resource')).toBe(server.url)
})

test('polls until the user has decided, at the interval that the server demands', async () => {
  const server = await startProtectedServer()
  const responses = ['authorization_pending', 'slow_down', 'authorization_pending']
  const token = () => {
    const error = responses.shift()
    return error === undefined ? undefined : errorResponse(error)
  }
  server.login.setFaults({ responses: { token } })
  expect(await openClient(server.url, deviceCode({ prompt: approve })).call()).toBe(200)
  expect(delays).toEqual([5000, 5000, 10_000, 10_000])
  expect(server.login.requestsTo('token').length).toBe(4)
})

test.each([
  ['access_denied', 'denied'],
  ['expired_token', 'timed_out'],
  ['invalid_grant', 'token_refused'],
])('%s ends the sign-in', async (error, reason) => {
  const server = await startProtectedServer()
  server.login.setFaults({ responses: { token: errorResponse(error) } })
  expect(await reasonOf(openClient(server.url, deviceCode({ prompt() {} })).call())).toBe(reason)
  expect(server.login.requestsTo('token').length).toBe(1)
})

test('C57 a URL that must not be opened in a browser is not shown', async () => {
  const server = await startProtectedServer()
  const prompt = vi.fn()
  const body = { device_code: 'd', user_code: 'u', verification_uri: 'javascript:alert(1)', expires_in: 60 }
  server.login.setFaults({ responses: { device: { body } } })
  expect(await reasonOf(openClient(server.url, deviceCode({ prompt })).call())).toBe('address_refused')
  expect(prompt).not.toHaveBeenCalled()
})

test('a server without a device authorization endpoint is an error', async () => {
  const server = await startProtectedServer()
  server.login.setFaults({ metadata: { device_authorization_endpoint: undefined } })
  expect(await reasonOf(openClient(server.url, deviceCode({ prompt() {} })).call())).toBe('discovery_failed')
})
