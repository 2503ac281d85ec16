import { mayRedirect } from './clients.ts'
import { layOver } from './faults.ts'
import { random } from './ground.ts'
import type { ClientMetadata } from './options.ts'
import type { Realm } from './realm.ts'
import { type Answer, need, type OAuthRequest, Refusal } from './request.ts'
import { checkResources, checkScope } from './target.ts'

/**
 * The authorization endpoint ([RFC 6749 §4.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1)): sends the user back with a code, or with
 * what was wrong, and with `iss` ([RFC 9207](https://www.rfc-editor.org/rfc/rfc9207)). Nobody is sent to an address that the client has not named.
 */
export async function authorize(request: OAuthRequest, realm: Realm): Promise<Answer> {
  const { parameters } = request
  const client = await realm.clients.find(need(request, 'client_id'))
  if (!client) throw new Refusal('invalid_client', 'The client is not known')
  const redirectUri = need(request, 'redirect_uri')
  if (!mayRedirect(client, redirectUri)) throw new Refusal('invalid_request', 'redirect_uri is not one of those of the client')

  const outcome = await decide(request, client, realm).catch((error: unknown) => {
    if (error instanceof Refusal) return { error: error.code, error_description: error.message }
    throw error
  })
  const state = parameters.get('state')
  const answer = layOver<string>({ ...outcome, ...(state !== null && { state }), iss: realm.issuer }, realm.faults().redirect)
  const target = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value)
  return { status: 302, headers: { location: target.href, 'cache-control': 'no-store' } }
}

async function decide(request: OAuthRequest, client: ClientMetadata, realm: Realm): Promise<Record<string, string>> {
  const { parameters } = request
  if (parameters.get('response_type') !== 'code') throw new Refusal('unsupported_response_type', 'Only code is known')
  if (parameters.get('code_challenge_method') !== 'S256') throw new Refusal('invalid_request', 'PKCE with S256 is needed')
  const challenge = need(request, 'code_challenge')
  const asked = { scope: checkScope(request, realm), resources: checkResources(request, realm) }
  const decision = await realm.decide({ client, ...asked, by: 'redirect' })
  if ('error' in decision) throw new Refusal(decision.error, 'The user said no')
  const { subject, scope = asked.scope } = decision
  const jkt = parameters.get('dpop_jkt')
  const code = random()
  realm.codes.set(code, {
    granted: { ...asked, subject, scope, clientId: client.client_id, family: random(), ...(jkt !== null && { jkt }) },
    redirectUri: need(request, 'redirect_uri'),
    challenge,
    expires: realm.now() + realm.lifetimes.code * 1000,
    used: false,
  })
  return { code }
}
