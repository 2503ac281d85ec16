/**
 * What users have granted. Tokens are given out by reference: they mean nothing to who reads them, and here they are known by their hash. The
 * tokens of the identity provider rest sealed beside the grant, which is the one thing that has to go for all its tokens to be worth nothing.
 */
import type { Sealer } from '../../../stores/seal.ts'
import type { Store } from '../../../stores/store.ts'
import { isSame, sha256 } from '../digest.ts'
import type { ProxyLifetimes, UpstreamTokens } from './options.ts'
import { random } from './upstream.ts'

/** What one user has granted to one client. */
export interface Grant {
  readonly id: string
  readonly clientId: string
  readonly subject: string
  readonly scopes: readonly string[]
  /** The hash of the refresh token that is good now. */
  readonly refreshHash?: string
  /** The tokens of the identity provider. */
  readonly sealed: string
  /** Milliseconds since 1970. */
  readonly endsAt: number
}

/** An access token, as this server knows it. */
export interface AccessRecord {
  readonly grant: string
  readonly expiresAt: number
}

/** The grants of a proxy. */
export interface Grants {
  begin(grant: Pick<Grant, 'clientId' | 'subject' | 'scopes'>, tokens: UpstreamTokens): Promise<Grant>
  find(id: string): Promise<Grant | undefined>
  end(id: string): Promise<void>
  /** Changes a grant, unless somebody else has changed it since it was read. */
  change(before: Grant, after: Partial<Grant>): Promise<Grant | undefined>
  seal(grant: Pick<Grant, 'id' | 'subject'>, tokens: UpstreamTokens): Promise<string>
  unseal(grant: Grant): Promise<UpstreamTokens>
  access(grant: Grant, expiresAt: number): Promise<string>
  /** What an access token stands for, if it is still good. */
  findAccess(token: string): Promise<{ readonly record: AccessRecord; readonly grant: Grant } | undefined>
  /** Makes a refresh token, which says by itself which grant it is of. */
  newRefresh(grant: Pick<Grant, 'id'>): Promise<{ readonly token: string; readonly hash: string }>
  /** The grant that a refresh token is of, and whether it is the one that is good now. */
  findRefresh(token: string): Promise<{ readonly grant: Grant; readonly isGood: boolean } | undefined>
}

export interface GrantsOptions {
  readonly store: Store
  readonly sealer: Sealer
  readonly lifetimes: ProxyLifetimes
  readonly now: () => number
}

const GRANT = 'proxy/grant/'
const ACCESS = 'proxy/access/'
const PURPOSE = 'proxy-upstream'

/** Makes the grants of one proxy. */
export function createGrants({ store, sealer, lifetimes, now }: GrantsOptions): Grants {
  const left = ({ endsAt }: Pick<Grant, 'endsAt'>): number => Math.max(1, endsAt - now())
  const find: Grants['find'] = async (id) => {
    const text = await store.get(GRANT + id)
    return text === undefined ? undefined : (JSON.parse(text) as Grant)
  }
  const seal: Grants['seal'] = ({ id, subject }, tokens) =>
    sealer.seal(PURPOSE, tokens, { ttlMs: lifetimes.grantMs, principal: subject, binding: id })

  return {
    find,
    seal,
    async begin(granted, tokens) {
      const head = { ...granted, id: random(16), endsAt: now() + lifetimes.grantMs }
      const grant: Grant = { ...head, sealed: await seal(head, tokens) }
      await store.set(GRANT + grant.id, JSON.stringify(grant), { ttlMs: lifetimes.grantMs })
      return grant
    },
    end: (id) => store.delete(GRANT + id),
    async change(before, after) {
      const next = { ...before, ...after }
      const swapped = await store.swap(GRANT + before.id, {
        expected: JSON.stringify(before),
        value: JSON.stringify(next),
        ttlMs: left(before),
      })
      return swapped ? next : undefined
    },
    unseal: async ({ sealed, subject, id }) =>
      (await sealer.open(PURPOSE, sealed, { principal: subject, binding: id })) as UpstreamTokens,
    async access(grant, expiresAt) {
      const token = random()
      const record: AccessRecord = { grant: grant.id, expiresAt }
      await store.set(ACCESS + (await sha256(token)), JSON.stringify(record), { ttlMs: Math.max(1, expiresAt - now()) })
      return token
    },
    async findAccess(token) {
      const text = await store.get(ACCESS + (await sha256(token)))
      if (text === undefined) return undefined
      const record = JSON.parse(text) as AccessRecord
      const grant = await find(record.grant)
      return grant && record.expiresAt > now() ? { record, grant } : undefined
    },
    async newRefresh({ id }) {
      const token = `${id}.${random()}`
      return { token, hash: await sha256(token) }
    },
    async findRefresh(token) {
      const grant = await find(token.split('.', 1)[0] ?? '')
      if (!grant || !token.includes('.')) return undefined
      return { grant, isGood: grant.refreshHash !== undefined && isSame(grant.refreshHash, await sha256(token)) }
    },
  }
}
