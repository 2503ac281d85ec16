import { beforeEach, expect, test, vi } from 'vitest'
import { type DeviceCode, device } from './device.ts'
import type { AuthError } from './errors.ts'
import { openRemote, protect } from './site.test-kit.ts'

const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: AuthError) => error.fault ?? String(error),
  )
/** How long the device would have waited each time. */
const waits: number[] = []
vi.mock('../../jsonrpc/waiting.ts', async (original) => ({
  ...(await original<typeof import('../../jsonrpc/waiting.ts')>()),
  pause: async (ms: number) => void waits.push(ms),
}))
beforeEach(() => void waits.splice(0))

const approve = async ({ verificationUriComplete }: DeviceCode) => void (await fetch(verificationUriComplete!))
const refusing = (error: string, status = 400) => ({ status, body: { error } })

test('a user signs in on another device', async () => {
  const site = await protect()
  site.needs = 'notes:read'
  const shown: DeviceCode[] = []
  const { call } = openRemote(site.url, device({ prompt: (code) => approve(code).then(() => void shown.push(code)) }))
  expect(await call()).toBe(200)
  expect(shown).toEqual([
    {
      userCode: expect.any(String),
      verificationUri: expect.any(URL),
      verificationUriComplete: expect.any(URL),
      expiresAt: expect.any(Number),
    },
  ])
  const [asked] = site.login.asked('device')
  expect(Object.fromEntries(asked!.parameters)).toMatchObject({ resource: site.url, scope: 'notes:read' })
  expect(site.login.asked('register')[0]?.body).toMatchObject({
    redirect_uris: [],
    grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  })
  expect(site.login.asked('token').at(-1)?.parameters.get('resource')).toBe(site.url)
})

test('waits until the user has decided, and longer when it is told to', async () => {
  const site = await protect()
  const answers = ['authorization_pending', 'slow_down', 'authorization_pending']
  const token = () => {
    const error = answers.shift()
    return error === undefined ? undefined : refusing(error)
  }
  site.login.set({ answers: { token } })
  expect(await openRemote(site.url, device({ prompt: approve })).call()).toBe(200)
  expect(waits).toEqual([5000, 5000, 10_000, 10_000])
  expect(site.login.asked('token').length).toBe(4)
})

test.each([
  ['access_denied', 'denied'],
  ['expired_token', 'timed_out'],
  ['invalid_grant', 'token_refused'],
])('%s ends it', async (error, fault) => {
  const site = await protect()
  site.login.set({ answers: { token: refusing(error) } })
  expect(await faultOf(openRemote(site.url, device({ prompt() {} })).call())).toBe(fault)
  expect(site.login.asked('token').length).toBe(1)
})

test('C57 a page that no browser should open is not shown', async () => {
  const site = await protect()
  const prompt = vi.fn()
  const body = { device_code: 'd', user_code: 'u', verification_uri: 'javascript:alert(1)', expires_in: 60 }
  site.login.set({ answers: { device: { body } } })
  expect(await faultOf(openRemote(site.url, device({ prompt })).call())).toBe('address_refused')
  expect(prompt).not.toHaveBeenCalled()
})

test('a server that signs in no devices is an error', async () => {
  const site = await protect()
  site.login.set({ metadata: { device_authorization_endpoint: undefined } })
  expect(await faultOf(openRemote(site.url, device({ prompt() {} })).call())).toBe('discovery_failed')
})
