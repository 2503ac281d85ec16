import { canonicalJson } from '../../../util/src/canonical-json.ts'
import type { Auth } from './exchange.ts'

/**
 * The rights of a caller: its scopes, and everything else that a handler or a policy can look at. What is kept of the answer to one
 * caller, such as a cached result, may be given to another only if the whole authorization is the same, or covers the first.
 */
export interface Authorization {
  /** The scopes, sorted. Scopes that are only among the claims have a prefix. */
  readonly scopes: readonly string[]
  /** The principal, the client and the claims, as text. */
  readonly facts: string
}

/** The member of `Auth` with the digest of the token of the caller, where it is sent on or exchanged. */
export const TOKEN_DIGEST = 'tokenDigest'

/** The members that differ from one token to the next although the caller is the same: times, ids and nonces of the token. */
const OF_ONE_TOKEN: ReadonlySet<string> = new Set([
  TOKEN_DIGEST,
  'expiresAt',
  'exp',
  'iat',
  'nbf',
  'jti',
  'nonce',
  'at_hash',
  'c_hash',
  's_hash',
  // Entra ID.
  'aio',
  'rh',
  'uti',
])
/** The claims that hold scopes, as words or as a list. */
const SCOPE_CLAIMS: readonly string[] = ['scope', 'scp']
const NOBODY: Authorization = { scopes: [], facts: '' }

const known = new WeakMap<Auth, Authorization>()

/** Returns what a caller is allowed to do. */
export function authorizationOf(auth: Auth | undefined): Authorization {
  if (!auth) return NOBODY
  const remembered = known.get(auth)
  if (remembered) return remembered
  const { scopes = [], ...members } = auth
  const claims = isPlain(auth.claims) ? auth.claims : {}
  const words = [
    ...scopes,
    ...SCOPE_CLAIMS.flatMap((name) => [...wordsOf(members[name]), ...wordsOf(claims[name])].map((word) => `claim ${word}`)),
  ]
  const facts = { ...withoutToken(members), ...(isPlain(auth.claims) && { claims: withoutToken(claims) }) }
  const created = { scopes: [...new Set(words)].sort(), facts: canonicalJson(toJson(facts)) }
  known.set(auth, created)
  return created
}

/**
 * Returns the key of an authorization: principal, client, scopes and claims. A token that was renewed has the key of the one before, because what
 * belongs to one token, such as its id and its times, is left out.
 */
export function authorizationKey(auth: Auth | undefined): string {
  if (!auth) return ''
  const { scopes, facts } = authorizationOf(auth)
  return JSON.stringify([facts, scopes])
}

/**
 * Returns the key of an authorization and, where the token of the caller is sent on or exchanged, of this token. Callers with the same key may get
 * the same results, lists, connections and tokens of a server: it may tell tokens apart that look the same here.
 */
export function credentialKey(auth: Auth | undefined): string {
  if (!auth) return ''
  const digest = auth[TOKEN_DIGEST]
  return digest === undefined ? authorizationKey(auth) : `${String(digest)} ${authorizationKey(auth)}`
}

/** Reports whether a caller has the scopes of an earlier authorization, and is otherwise the same. */
export function coversAuthorization(auth: Auth | undefined, { scopes, facts }: Authorization): boolean {
  const current = authorizationOf(auth)
  return current.facts === facts && scopes.every((scope) => current.scopes.includes(scope))
}

function wordsOf(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '')
  return Array.isArray(claim) ? claim.map(String) : []
}

function isPlain(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Removes what belongs to one token, and the scopes. */
function withoutToken(members: { readonly [name: string]: unknown }): { readonly [name: string]: unknown } {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !OF_ONE_TOKEN.has(name) && !SCOPE_CLAIMS.includes(name)))
}

/** Converts what `authenticate` returned to JSON. It may return more than JSON can express. */
function toJson(value: unknown, parents: ReadonlySet<object> = new Set()): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (parents.has(value)) return 'cycle'
  const inner = new Set(parents).add(value)
  if (value instanceof Date) return value.toJSON()
  if (value instanceof Map || value instanceof Set) return { members: [...value].map((item) => toJson(item, inner)) }
  if (Array.isArray(value)) return value.map((item) => toJson(item, inner))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member, inner)]))
}
