import { isSame, sha256 } from '../digest.ts'
import { isSameResource } from '../resource.ts'
import type { Page, ResourceRequest } from '../types.ts'
import { CODE_KEY, type CodeRecord } from './callback.ts'
import type { Grant, Grants } from './grants.ts'
import { jsonPage, OAuthRefusal, readForm } from './pages.ts'
import { type Realm, take } from './realm.ts'
import { UpstreamRefused } from './upstream.ts'

type Form = ReadonlyMap<string, string>

const USED_KEY = 'proxy/used/'
/** How long a code that was used is remembered, so that who uses it again can be told. */
const USED_MS = 10 * 60_000
/** Refresh tokens are given out along with access tokens, so those of the identity provider are fresh for at least so long. */
const FRESH_MS = 60_000
const VERIFIER = /^[\w.~-]{43,128}$/

const GRANT_TYPES: Readonly<Record<string, (form: Form, realm: Realm) => Promise<Grant>>> = {
  authorization_code: redeemCode,
  refresh_token: redeemRefresh,
}

/** Gives out tokens of our own. Those of the identity provider stay here. */
export async function giveTokens(request: ResourceRequest, realm: Realm): Promise<Page> {
  const form = await readForm(request)
  const type = form.get('grant_type') ?? ''
  const redeem = Object.hasOwn(GRANT_TYPES, type) ? GRANT_TYPES[type] : undefined
  if (!redeem) throw new OAuthRefusal('unsupported_grant_type', 'There are codes and refresh tokens here')
  const resource = form.get('resource')
  if (resource !== undefined && !isSameResource(resource, realm.resource.uri))
    throw new OAuthRefusal('invalid_target', `Tokens are given out for ${realm.resource.uri}`)
  return issue(await redeem(form, realm), realm)
}

/** Ends the grant that a token is of, if there is one (RFC 7009). */
export async function revoke(request: ResourceRequest, { grants }: Realm): Promise<Page> {
  const form = await readForm(request)
  const token = form.get('token') ?? ''
  const refresh = await grants.findRefresh(token)
  const grant = refresh?.isGood ? refresh.grant : (await grants.findAccess(token))?.grant
  if (grant && grant.clientId === form.get('client_id')) await grants.end(grant.id)
  return { status: 200 }
}

/** @throws OAuthRefusal. A code that comes again ends what it was good for. */
async function redeemCode(form: Form, { store, grants }: Realm): Promise<Grant> {
  const hash = await sha256(form.get('code') ?? '')
  const text = await take(store, CODE_KEY + hash)
  if (text === undefined) {
    const used = await store.get(USED_KEY + hash)
    if (used !== undefined) await grants.end(used)
    throw new OAuthRefusal('invalid_grant', 'The code is not known, or was used before')
  }
  const { grant: id, clientId, redirectUri, challenge } = JSON.parse(text) as CodeRecord
  await store.set(USED_KEY + hash, id, { ttlMs: USED_MS })
  const verifier = form.get('code_verifier') ?? ''
  const isTheirs =
    form.get('client_id') === clientId &&
    form.get('redirect_uri') === redirectUri &&
    VERIFIER.test(verifier) &&
    isSame(await sha256(verifier), challenge)
  const grant = isTheirs ? await grants.find(id) : undefined
  if (grant) return grant
  await grants.end(id)
  throw new OAuthRefusal('invalid_grant', 'The code was given out to somebody else')
}

/** @throws OAuthRefusal. A refresh token that comes again ends its grant: one of the two who have it has stolen it. */
async function redeemRefresh(form: Form, { grants }: Realm): Promise<Grant> {
  const found = await grants.findRefresh(form.get('refresh_token') ?? '')
  if (!found || found.grant.clientId !== form.get('client_id'))
    throw new OAuthRefusal('invalid_grant', 'The refresh token is not known')
  if (found.isGood) return found.grant
  await grants.end(found.grant.id)
  throw new OAuthRefusal('invalid_grant', 'The refresh token was used before')
}

async function issue(grant: Grant, { grants, keeper, lifetimes, now }: Realm): Promise<Page> {
  const tokens = await keeper.fresh(grant, FRESH_MS).catch((error) => {
    throw error instanceof UpstreamRefused ? new OAuthRefusal('invalid_grant', 'The user has to sign in again') : error
  })
  const refresh = await rotate(grant, grants)
  const renewable = tokens.refreshToken !== undefined || tokens.expiresAt === undefined
  const endsAt = Math.min(now() + lifetimes.accessMs, grant.endsAt, tokens.expiresAt ?? Number.POSITIVE_INFINITY)
  return jsonPage({
    access_token: await grants.access(grant, endsAt),
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor((endsAt - now()) / 1000)),
    ...(renewable && { refresh_token: refresh }),
    ...(grant.scopes.length > 0 && { scope: grant.scopes.join(' ') }),
  })
}

/** Gives a grant a new refresh token, for one of all who come with the same. @throws OAuthRefusal */
async function rotate(grant: Grant, grants: Grants): Promise<string> {
  const { token, hash } = await grants.newRefresh(grant)
  for (let current = await grants.find(grant.id); current; current = await grants.find(grant.id)) {
    if (current.refreshHash !== grant.refreshHash) break
    if (await grants.change(current, { refreshHash: hash })) return token
  }
  throw new OAuthRefusal('invalid_grant', 'The grant has ended, or was used at the same time elsewhere')
}
