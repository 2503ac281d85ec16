import { normalizeIssuer } from '../../../../../util/src/issuer.ts'
import { parseObject } from '../../../jsonrpc/parse-object.ts'
import type { KeyValueStore } from '../../../stores/store.ts'
import type { AuthorizationServer, DpopSigner, TokenSet } from '../types.ts'

/** The authorization server and the resource that the tokens for an endpoint belong to, as last discovered. */
export interface ResourceBinding {
  /** Its `issuer` has been verified. */
  readonly server: AuthorizationServer
  readonly resource: string
}

/** Tokens as stored. */
export interface StoredTokens extends TokenSet {
  /** The scopes that were requested. */
  readonly requestedScope?: string
  /** When they were issued, in milliseconds since 1970. */
  readonly issuedAt: number
  /** The key that they are bound to. */
  readonly dpopKey?: JsonWebKey
}

/** The stored state of one endpoint. Tokens are stored by issuer and resource, so that one authorization server never receives another's. */
export interface TokenStore {
  loadBinding(): Promise<ResourceBinding | undefined>
  /** Stores the binding. If it has changed, deletes the tokens of the previous one. */
  saveBinding(binding: ResourceBinding): Promise<void>
  loadTokens(binding: ResourceBinding): Promise<StoredTokens | undefined>
  saveTokens(binding: ResourceBinding, tokens: StoredTokens): Promise<void>
  /** Deletes the tokens and the binding. */
  deleteTokens(binding: ResourceBinding): Promise<void>
  /** Returns the key of the lock that has to be held to change these tokens. */
  lockKey(binding: ResourceBinding): string
}

/** Creates the token store of an endpoint. `owner` separates the tokens of users and grants that share the underlying store. */
export function createTokenStore(store: KeyValueStore, owner: string, endpoint: URL): TokenStore {
  const bindingKey = `portcall:binding:${JSON.stringify([owner, endpoint.href])}`
  const tokensKey = ({ server, resource }: ResourceBinding): string =>
    `portcall:tokens:${JSON.stringify([owner, normalizeIssuer(server.issuer), resource])}`

  const read = async <T>(key: string): Promise<T | undefined> => parseStored<T>(await store.get(key))
  const loadBinding = (): Promise<ResourceBinding | undefined> => read<ResourceBinding>(bindingKey)

  return {
    loadBinding,
    async saveBinding(binding) {
      const previous = await loadBinding()
      if (previous && tokensKey(previous) !== tokensKey(binding)) await store.delete(tokensKey(previous))
      await store.set(bindingKey, JSON.stringify(binding))
    },
    loadTokens: (binding) => read<StoredTokens>(tokensKey(binding)),
    saveTokens: (binding, tokens) => store.set(tokensKey(binding), JSON.stringify(tokens)),
    async deleteTokens(binding) {
      await store.delete(tokensKey(binding))
      await store.delete(bindingKey)
    },
    lockKey: (binding) => `${tokensKey(binding)}:lock`,
  }
}

/** Converts tokens that were issued just now to their stored form. */
export function toStoredTokens(tokens: TokenSet, requestedScope: string | undefined, dpop: DpopSigner | undefined): StoredTokens {
  return {
    ...tokens,
    issuedAt: Date.now(),
    ...(requestedScope !== undefined && { requestedScope }),
    ...(dpop && { dpopKey: dpop.storedKey }),
  }
}

/** Parses a stored object. Returns `undefined` for anything else, because others may write to the store too. */
export function parseStored<T>(text: string | undefined): T | undefined {
  return parseObject(text) as T | undefined
}
