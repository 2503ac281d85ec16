import { need, Refusal } from './request.ts'
import { type GrantHandler, respond } from './token-response.ts'

const SLOWER_S = 5

/** Answers a device that asks whether its user has been there ([RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5)). */
export const redeemDevice: GrantHandler = async (grant) => {
  const { request, realm, client } = grant
  const id = need(request, 'device_code')
  const device = realm.devices.get(id)
  if (device?.clientId !== client.client_id) throw new Refusal('invalid_grant', 'The device code is not known')
  const now = realm.now()
  if (device.expires < now) throw new Refusal('expired_token', 'The device code has expired')
  const early = now - device.asked < device.interval * 1000
  device.asked = now
  if (early) {
    device.interval += SLOWER_S
    throw new Refusal('slow_down', 'That was too early')
  }
  if (!device.outcome) throw new Refusal('authorization_pending', 'The user has not been there yet')
  realm.devices.delete(id)
  if ('error' in device.outcome) throw new Refusal(device.outcome.error, 'The user said no')
  return respond(grant, device.outcome.granted, { refreshes: true })
}
