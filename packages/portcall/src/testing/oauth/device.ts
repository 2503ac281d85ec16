import { authenticateClient } from './client-auth.ts'
import { random } from './ground.ts'
import type { Realm } from './realm.ts'
import { type Answer, json, need, type OAuthRequest, Refusal } from './request.ts'
import { checkResources, checkScope } from './target.ts'

const CODE_LENGTH = 8

/** Gives a device its codes ([RFC 8628 §3.1](https://www.rfc-editor.org/rfc/rfc8628#section-3.1)). */
export async function authorizeDevice(request: OAuthRequest, realm: Realm): Promise<Answer> {
  const client = await authenticateClient(request, realm)
  const { device: lifetime, interval } = realm.lifetimes
  const deviceCode = random()
  const userCode = random().slice(0, CODE_LENGTH).toUpperCase()
  const place = `${realm.issuer}/device`
  realm.devices.set(deviceCode, {
    userCode,
    clientId: client.client_id,
    scope: checkScope(request, realm),
    resources: checkResources(request, realm),
    expires: realm.now() + lifetime * 1000,
    asked: -Infinity,
    interval,
    outcome: undefined,
  })
  return json({
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: place,
    verification_uri_complete: `${place}?user_code=${userCode}`,
    expires_in: lifetime,
    interval,
  })
}

/** The page that the user of a device goes to: whoever opens it with a code decides at once. */
export async function verifyDevice(request: OAuthRequest, realm: Realm): Promise<Answer> {
  const userCode = need(request, 'user_code')
  const device = [...realm.devices.values()].find((one) => one.userCode === userCode)
  const client = device && (await realm.clients.find(device.clientId))
  if (!device || !client) throw new Refusal('invalid_request', 'The code is not known')
  const { scope: asked, resources, clientId } = device
  const decision = await realm.decide({ client, scope: asked, resources, by: 'device' })
  if ('error' in decision) device.outcome = decision
  else {
    const { subject, scope = asked } = decision
    device.outcome = { granted: { subject, scope, resources, clientId, family: random() } }
  }
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'You can close this page.' }
}
