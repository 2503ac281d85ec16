/**
 * The grants of users to clients. Tokens are opaque references and stored by their hash. The tokens of the identity provider are sealed
 * inside the grant: deleting the grant invalidates all of its tokens.
 */

import { constantTimeEqual, sha256 } from '../../../../util/src/digest.ts'
import { randomId } from '../../../../util/src/random.ts'
import { ownedSecret, ownerIn, ownerKey, secretKey } from '../../stores/owned-keys.ts'
import type { Sealer } from '../../stores/sealing/seal.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import type { ProxyClientAuthMethod, ProxyLifetimes, UpstreamTokens } from './options.ts'
import { SECRET_BYTES, type UpstreamClient } from './upstream.ts'

/** The grant of one user to one client. */
export interface Grant {
  /** Names the user, so that the grants of one user do not evict those of others. */
  readonly id: string
  readonly clientId: string
  /** How the client has to authenticate to use the grant. */
  readonly clientMethod: ProxyClientAuthMethod
  readonly subject: string
  readonly scopes: readonly string[]
  /** The hash of the current refresh token. */
  readonly refreshHash?: string
  /** The sealed tokens of the identity provider. */
  readonly sealed: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  /** Set while the grant has ended but the identity provider has not revoked its tokens yet. */
  readonly isRevoked?: true
}

/** The stored form of an access token. */
export interface AccessRecord {
  /** The id of the grant. */
  readonly grant: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface Grants {
  create(grant: Pick<Grant, 'clientId' | 'clientMethod' | 'subject' | 'scopes'>, tokens: UpstreamTokens): Promise<Grant>
  /** Returns a grant that has not ended. */
  find(id: string): Promise<Grant | undefined>
  /**
   * Ends a grant at once, and revokes the tokens of the identity provider. Returns false if the identity provider did not respond; a later call
   * with the same id tries again.
   */
  revoke(id: string): Promise<boolean>
  /** Updates a grant and returns it. Returns `undefined` if it was changed or revoked since it was read. */
  update(before: Grant, changes: Partial<Grant>): Promise<Grant | undefined>
  seal(grant: Pick<Grant, 'id' | 'subject'>, tokens: UpstreamTokens): Promise<string>
  unseal(grant: Grant): Promise<UpstreamTokens>
  issueAccessToken(grant: Grant, expiresAt: number): Promise<string>
  /** Returns the record of an access token that has not expired, with its grant. */
  findAccessToken(token: string): Promise<{ readonly record: AccessRecord; readonly grant: Grant } | undefined>
  /** Creates a refresh token, which contains the id of its grant. */
  createRefreshToken(grant: Pick<Grant, 'id'>): Promise<{ readonly token: string; readonly hash: string }>
  /** Returns the grant of a refresh or access token, even if it has ended, to revoke it. */
  findRevocable(token: string): Promise<Grant | undefined>
  /** Returns the grant of a refresh token, and whether the token is the current one. */
  findRefreshToken(token: string): Promise<{ readonly grant: Grant; readonly isCurrent: boolean } | undefined>
}

export interface GrantsOptions {
  readonly store: KeyValueStore
  readonly sealer: Sealer
  readonly upstream: UpstreamClient
  readonly lifetimes: ProxyLifetimes
  readonly now: () => number
}

const GRANT = 'proxy/grant/'
const ACCESS = 'proxy/access/'
const PURPOSE = 'proxy-upstream'
const GRANT_ID_BYTES = 16

export function createGrants(options: GrantsOptions): Grants {
  const { store, sealer, lifetimes, now } = options
  const remainingMs = (expiresAt: number): number => Math.max(1, expiresAt - now())
  const read = async <T>(key: string): Promise<T | undefined> => {
    const text = await store.get(key)
    return text === undefined ? undefined : (JSON.parse(text) as T)
  }
  const readGrant = (id: string): Promise<Grant | undefined> => read<Grant>(GRANT + id)
  const readAccess = async (token: string): Promise<AccessRecord | undefined> => read(await secretKey(ACCESS, token))
  const find: Grants['find'] = async (id) => {
    const grant = await readGrant(id)
    return grant?.isRevoked ? undefined : grant
  }
  const isCurrent = async ({ refreshHash }: Grant, token: string): Promise<boolean> =>
    refreshHash !== undefined && constantTimeEqual(refreshHash, await sha256(token))
  const seal: Grants['seal'] = ({ id, subject }, tokens) =>
    sealer.seal(PURPOSE, tokens, { ttlMs: lifetimes.grantTtlMs, principal: subject, binding: id })

  const unseal: Grants['unseal'] = async ({ sealed, subject, id }) =>
    (await sealer.open(PURPOSE, sealed, { principal: subject, binding: id })) as UpstreamTokens
  const update: Grants['update'] = async (before, changes) => {
    const grant = { ...before, ...changes }
    const updated = await store.compareAndSet(GRANT + before.id, {
      expected: JSON.stringify(before),
      value: JSON.stringify(grant),
      ttlMs: remainingMs(before.expiresAt),
    })
    return updated ? grant : undefined
  }
  /** Tokens that cannot be unsealed, because the sealing keys were replaced, are lost. */
  const revokeUpstream = async (grant: Grant): Promise<boolean> => {
    const tokens = await unseal(grant).catch(() => undefined)
    if (!tokens) return true
    return options.upstream.revoke(tokens).then(
      () => true,
      () => false,
    )
  }

  return {
    find,
    seal,
    async create(granted, tokens) {
      const id = `${await ownerKey(granted.subject)}/${randomId(GRANT_ID_BYTES)}`
      const head = { ...granted, id, expiresAt: now() + lifetimes.grantTtlMs }
      const grant: Grant = { ...head, sealed: await seal(head, tokens) }
      await store.set(GRANT + grant.id, JSON.stringify(grant), { ttlMs: lifetimes.grantTtlMs })
      return grant
    },
    async revoke(id) {
      for (let grant = await readGrant(id); grant; grant = await readGrant(id)) {
        if (!grant.isRevoked && !(await update(grant, { isRevoked: true }))) continue
        if (!(await revokeUpstream(grant))) return false
        await store.delete(GRANT + id)
      }
      return true
    },
    update,
    unseal,
    async issueAccessToken(grant, expiresAt) {
      const token = ownedSecret(ownerIn(grant.id), SECRET_BYTES)
      const record: AccessRecord = { grant: grant.id, expiresAt }
      await store.set(await secretKey(ACCESS, token), JSON.stringify(record), { ttlMs: remainingMs(expiresAt) })
      return token
    },
    async findAccessToken(token) {
      const record = await readAccess(token)
      const grant = record && (await find(record.grant))
      return grant && record.expiresAt > now() ? { record, grant } : undefined
    },
    async findRevocable(token) {
      const grant = await readGrant(idOf(token))
      if (grant && (await isCurrent(grant, token))) return grant
      const record = await readAccess(token)
      return record && readGrant(record.grant)
    },
    async createRefreshToken({ id }) {
      const token = `${id}.${randomId(SECRET_BYTES)}`
      return { token, hash: await sha256(token) }
    },
    async findRefreshToken(token) {
      const grant = await find(idOf(token))
      return grant && { grant, isCurrent: await isCurrent(grant, token) }
    },
  }
}

/** Returns the id of the grant in a refresh token. Empty for other tokens. */
function idOf(token: string): string {
  return token.includes('.') ? (token.split('.', 1)[0] ?? '') : ''
}
