import { sha256 } from '../digest.ts'
import { VerifierUnavailable } from '../errors.ts'
import type { Page, ResourceRequest } from '../types.ts'
import { backToClient, isSameBrowser, type Login, STATE_KEY } from './authorize.ts'
import { readQuery, textPage } from './pages.ts'
import { type Realm, take } from './realm.ts'
import { random, UpstreamRefused } from './upstream.ts'

/** An authorization code that was given out. */
export interface CodeRecord {
  readonly grant: string
  readonly clientId: string
  readonly redirectUri: string
  readonly challenge: string
}

export const CODE_KEY = 'proxy/code/'
const STALE = 'This sign-in is over, or was begun in another browser. Start again from the client.'

/**
 * A user comes back from the identity provider. Only the browser that gave its consent may go on, once: else somebody could let another
 * sign in for them. What the identity provider says of its errors is shown to nobody.
 */
export async function comeBack(request: ResourceRequest, realm: Realm): Promise<Page> {
  const { store, options } = realm
  const query = readQuery(request)
  const hash = await sha256(query.get('state') ?? '')
  const waiting = await store.get(STATE_KEY + hash)
  const login = waiting === undefined ? undefined : (JSON.parse(waiting) as Login)
  if (!login || !(await isSameBrowser(request, realm, [hash, login]))) return textPage(STALE)
  if ((await take(store, STATE_KEY + hash)) === undefined) return textPage(STALE)
  const { issuer } = options.upstream
  const said = query.get('iss')
  if (issuer !== undefined && said !== undefined && said !== issuer) return textPage(STALE)
  const code = query.get('code')
  if (code === undefined) return backToClient(login, { error: 'access_denied' }, realm)
  try {
    return backToClient(login, { code: await signIn(login, code, realm) }, realm)
  } catch (error) {
    if (error instanceof UpstreamRefused) return backToClient(login, { error: 'access_denied' }, realm)
    if (error instanceof VerifierUnavailable) return backToClient(login, { error: 'temporarily_unavailable' }, realm)
    throw error
  }
}

/** Finds out who it is, and makes the code that the client turns into tokens. */
async function signIn(
  login: Login,
  upstreamCode: string,
  { options, upstream, grants, store, lifetimes }: Realm,
): Promise<string> {
  const { clientId, redirectUri, challenge, verifier } = login
  const tokens = await upstream.exchange(upstreamCode, verifier)
  const { subject, scopes: allowed } = await options.identify(tokens)
  if (!subject) throw new UpstreamRefused('Nobody has signed in')
  const scopes = login.scopes.filter((scope) => allowed === undefined || allowed.includes(scope))
  const { id } = await grants.begin({ clientId, subject, scopes }, tokens)
  const code = random()
  const record: CodeRecord = { grant: id, clientId, redirectUri, challenge }
  await store.set(CODE_KEY + (await sha256(code)), JSON.stringify(record), { ttlMs: lifetimes.codeMs })
  return code
}
