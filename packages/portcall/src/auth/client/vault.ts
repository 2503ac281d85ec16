import { isObject } from '../../jsonrpc/message.ts'
import type { Store } from '../../stores/store.ts'
import type { AuthorizationServer, Dpop, Tokens } from './types.ts'

/** Where the tokens for an endpoint come from, as it was found out the last time. */
export interface Place {
  /** Its `issuer` has been checked. */
  readonly server: AuthorizationServer
  readonly resource: string
}

/** Tokens as they rest in the store. */
export interface StoredTokens extends Tokens {
  /** The scopes that were asked for. */
  readonly asked?: string
  /** When they were issued, in milliseconds since 1970. */
  readonly issuedAt: number
  /** The private key that they are bound to. */
  readonly key?: JsonWebKey
}

/**
 * What is remembered for one endpoint. Tokens are kept by issuer and resource, so that those of one authorization server are never shown to
 * another.
 */
export interface Vault {
  place(): Promise<Place | undefined>
  /** Remembers the place; when it is another than before, the tokens of the last one are dropped. */
  settle(place: Place): Promise<void>
  tokens(place: Place): Promise<StoredTokens | undefined>
  keep(place: Place, tokens: StoredTokens): Promise<void>
  drop(place: Place): Promise<void>
  /** The key of the lock that whoever changes these tokens has to hold. */
  lockOf(place: Place): string
}

/** Opens what a store remembers for an endpoint; `owner` keeps those apart who share the store. */
export function createVault(store: Store, owner: string, endpoint: URL): Vault {
  const placeKey = `portcall:place:${JSON.stringify([owner, endpoint.href])}`
  const keyOf = ({ server, resource }: Place): string => `portcall:tokens:${JSON.stringify([owner, server.issuer, resource])}`

  const read = async <T>(key: string): Promise<T | undefined> => readJson<T>(await store.get(key))
  const place = (): Promise<Place | undefined> => read<Place>(placeKey)

  return {
    place,
    async settle(next) {
      const last = await place()
      if (last && keyOf(last) !== keyOf(next)) await store.delete(keyOf(last))
      await store.set(placeKey, JSON.stringify(next))
    },
    tokens: (from) => read<StoredTokens>(keyOf(from)),
    keep: (from, tokens) => store.set(keyOf(from), JSON.stringify(tokens)),
    drop: (from) => store.delete(keyOf(from)),
    lockOf: (from) => `${keyOf(from)}:lock`,
  }
}

/** Makes what is stored of tokens that were issued just now. */
export function stampTokens(tokens: Tokens, asked: string | undefined, dpop: Dpop | undefined): StoredTokens {
  return { ...tokens, issuedAt: Date.now(), ...(asked !== undefined && { asked }), ...(dpop && { key: dpop.key }) }
}

/** Reads what a store holds; what somebody else has put there counts as absent. */
export function readJson<T>(text: string | undefined): T | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text)
    return isObject(value) ? (value as T) : undefined
  } catch {
    return undefined
  }
}
