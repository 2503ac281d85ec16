import { sha256 } from '../../../../util/src/digest.ts'
import { isSameIssuer } from '../../../../util/src/issuer.ts'
import { randomId } from '../../../../util/src/random.ts'
import type { HookRequest, HookResponse } from '../../protocol/http.ts'
import { secretKey } from '../../stores/owned-keys.ts'
import { VerifierUnavailableError } from '../server/errors.ts'
import { isSameBrowser, type PendingSignIn, redirectToClient, STATE_KEY } from './authorize.ts'
import { getAndDelete, type ProxyContext } from './context.ts'
import { readQuery, textResponse } from './http.ts'
import type { ProxyClientAuthMethod } from './options.ts'
import { SECRET_BYTES, UpstreamRefusedError } from './upstream.ts'

/** The stored form of an authorization code. */
export interface CodeRecord {
  /** The id of the grant. */
  readonly grant: string
  readonly clientId: string
  readonly clientMethod: ProxyClientAuthMethod
  readonly redirectUri: string
  /** The PKCE code challenge of the client. */
  readonly challenge: string
}

export const CODE_KEY = 'proxy/code/'
const EXPIRED = 'This sign-in has ended or was started in another browser. Start again from the client.'

/**
 * Handles the redirect from the identity provider. Only the browser that gave consent may continue, and only once; otherwise an attacker
 * could make another user sign in for them. Error details of the identity provider are shown to nobody.
 */
export async function handleCallback(request: HookRequest, context: ProxyContext): Promise<HookResponse> {
  const { store, options } = context
  const query = readQuery(request)
  const state = query.get('state') ?? ''
  const [hash, key] = [await sha256(state), await secretKey(STATE_KEY, state)]
  const stored = await store.get(key)
  const pending = stored === undefined ? undefined : (JSON.parse(stored) as PendingSignIn)
  if (!pending || !(await isSameBrowser(request, context, [hash, pending]))) return textResponse(EXPIRED)
  if ((await getAndDelete(store, key)) === undefined) return textResponse(EXPIRED)
  const { issuer } = options.upstream
  const iss = query.get('iss')
  if (issuer !== undefined && iss !== undefined && !isSameIssuer(iss, issuer)) return textResponse(EXPIRED)
  const code = query.get('code')
  if (code === undefined) return redirectToClient(pending, { error: 'access_denied' }, context)
  try {
    return redirectToClient(pending, { code: await createCode(pending, code, context) }, context)
  } catch (error) {
    if (error instanceof UpstreamRefusedError) return redirectToClient(pending, { error: 'access_denied' }, context)
    if (error instanceof VerifierUnavailableError) return redirectToClient(pending, { error: 'temporarily_unavailable' }, context)
    throw error
  }
}

/** Identifies the user, stores the grant, and creates the authorization code for the client. */
async function createCode(
  pending: PendingSignIn,
  upstreamCode: string,
  { options, upstream, grants, store, lifetimes }: ProxyContext,
): Promise<string> {
  const { clientId, clientMethod, redirectUri, challenge, verifier } = pending
  const tokens = await upstream.exchange(upstreamCode, verifier)
  const { subject, scopes: allowed } = await options.identify(tokens)
  if (!subject) throw new UpstreamRefusedError('`identify` returned no subject')
  const scopes = pending.scopes.filter((scope) => allowed === undefined || allowed.includes(scope))
  const { id } = await grants.create({ clientId, clientMethod, subject, scopes }, tokens)
  const code = randomId(SECRET_BYTES)
  const record: CodeRecord = { grant: id, clientId, clientMethod, redirectUri, challenge }
  await store.set(CODE_KEY + (await sha256(code)), JSON.stringify(record), { ttlMs: lifetimes.codeTtlMs })
  return code
}
