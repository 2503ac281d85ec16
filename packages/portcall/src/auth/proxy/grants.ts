/**
 * What users have granted to clients. Tokens are opaque references and stored by their hash. The tokens of the identity provider are sealed
 * inside the grant: deleting the grant invalidates all of its tokens.
 */
import type { Sealer } from '../../stores/sealing/seal.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { constantTimeEqual, sha256 } from '../../util/digest.ts'
import { randomId } from '../../util/random.ts'
import type { ProxyLifetimes, UpstreamTokens } from './options.ts'
import { SECRET_BYTES } from './upstream.ts'

/** What one user has granted to one client. */
export interface Grant {
  readonly id: string
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
  /** The hash of the current refresh token. */
  readonly refreshHash?: string
  /** The sealed tokens of the identity provider. */
  readonly sealed: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** The stored form of an access token. */
export interface AccessRecord {
  /** The id of the grant. */
  readonly grant: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface Grants {
  create(grant: Pick<Grant, 'clientId' | 'subject' | 'scopes'>, tokens: UpstreamTokens): Promise<Grant>
  find(id: string): Promise<Grant | undefined>
  revoke(id: string): Promise<void>
  /** Updates a grant and returns it. Returns `undefined` if it was changed or revoked since it was read. */
  update(before: Grant, changes: Partial<Grant>): Promise<Grant | undefined>
  seal(grant: Pick<Grant, 'id' | 'subject'>, tokens: UpstreamTokens): Promise<string>
  unseal(grant: Grant): Promise<UpstreamTokens>
  issueAccessToken(grant: Grant, expiresAt: number): Promise<string>
  /** Returns the record of an access token that has not expired, with its grant. */
  findAccessToken(token: string): Promise<{ readonly record: AccessRecord; readonly grant: Grant } | undefined>
  /** Creates a refresh token, which contains the id of its grant. */
  createRefreshToken(grant: Pick<Grant, 'id'>): Promise<{ readonly token: string; readonly hash: string }>
  /** Returns the grant of a refresh token, and whether the token is the current one. */
  findRefreshToken(token: string): Promise<{ readonly grant: Grant; readonly isCurrent: boolean } | undefined>
}

export interface GrantsOptions {
  readonly store: KeyValueStore
  readonly sealer: Sealer
  readonly lifetimes: ProxyLifetimes
  readonly now: () => number
}

const GRANT = 'proxy/grant/'
const ACCESS = 'proxy/access/'
const PURPOSE = 'proxy-upstream'
const GRANT_ID_BYTES = 16

export function createGrants({ store, sealer, lifetimes, now }: GrantsOptions): Grants {
  const remainingMs = (expiresAt: number): number => Math.max(1, expiresAt - now())
  const find: Grants['find'] = async (id) => {
    const text = await store.get(GRANT + id)
    return text === undefined ? undefined : (JSON.parse(text) as Grant)
  }
  const seal: Grants['seal'] = ({ id, subject }, tokens) =>
    sealer.seal(PURPOSE, tokens, { ttlMs: lifetimes.grantTtlMs, principal: subject, binding: id })

  return {
    find,
    seal,
    async create(granted, tokens) {
      const head = { ...granted, id: randomId(GRANT_ID_BYTES), expiresAt: now() + lifetimes.grantTtlMs }
      const grant: Grant = { ...head, sealed: await seal(head, tokens) }
      await store.set(GRANT + grant.id, JSON.stringify(grant), { ttlMs: lifetimes.grantTtlMs })
      return grant
    },
    revoke: (id) => store.delete(GRANT + id),
    async update(before, changes) {
      const grant = { ...before, ...changes }
      const updated = await store.compareAndSet(GRANT + before.id, {
        expected: JSON.stringify(before),
        value: JSON.stringify(grant),
        ttlMs: remainingMs(before.expiresAt),
      })
      return updated ? grant : undefined
    },
    unseal: async ({ sealed, subject, id }) =>
      (await sealer.open(PURPOSE, sealed, { principal: subject, binding: id })) as UpstreamTokens,
    async issueAccessToken(grant, expiresAt) {
      const token = randomId(SECRET_BYTES)
      const record: AccessRecord = { grant: grant.id, expiresAt }
      await store.set(ACCESS + (await sha256(token)), JSON.stringify(record), { ttlMs: remainingMs(expiresAt) })
      return token
    },
    async findAccessToken(token) {
      const text = await store.get(ACCESS + (await sha256(token)))
      if (text === undefined) return undefined
      const record = JSON.parse(text) as AccessRecord
      const grant = await find(record.grant)
      return grant && record.expiresAt > now() ? { record, grant } : undefined
    },
    async createRefreshToken({ id }) {
      const token = `${id}.${randomId(SECRET_BYTES)}`
      return { token, hash: await sha256(token) }
    },
    async findRefreshToken(token) {
      const grant = await find(token.split('.', 1)[0] ?? '')
      if (!grant || !token.includes('.')) return undefined
      const isCurrent = grant.refreshHash !== undefined && constantTimeEqual(grant.refreshHash, await sha256(token))
      return { grant, isCurrent }
    },
  }
}
