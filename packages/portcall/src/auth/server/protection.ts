import type { Auth } from '../../jsonrpc/exchange.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { admit, type Expected } from './admission.ts'
import { isScope } from './challenge.ts'
import { readCredentials, type Sent } from './credentials.ts'
import { createDpop, type Dpop, type DpopOptions, type ProofRefusal } from './dpop.ts'
import { TokenRefused, VerifierUnavailable } from './errors.ts'
import { createMetadata } from './metadata.ts'
import { createRefusals, type Refusals } from './refusals.ts'
import { type Resource, readHttps, readResource } from './resource.ts'
import type { GuardedRequest, Page, Refusal, ResourceRequest, Token, TokenAuth, Verifier } from './types.ts'

/** A verifier, or only its function. */
export type Verify = Verifier | Verifier['verify']

/** How a server is protected. */
export interface ProtectOptions {
  /** The URL by which clients reach the server: tokens have to be issued for exactly this. */
  readonly resource: string
  /** The issuers where clients get tokens. Without any there is no metadata, and clients have to bring keys along. */
  readonly authorizationServers?: readonly string[]
  /** Who tells what a token stands for. Of several, the first that knows a token counts. */
  readonly verify: Verify | readonly Verify[]
  /** What every request needs. */
  readonly scopes?: readonly string[]
  /** What metadata offers to clients that do not know what they need. Default: `scopes`. */
  readonly scopesSupported?: readonly string[]
  /** Scopes that others imply: `{ 'notes:write': ['notes:read'] }`. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>
  /** Takes tokens that are bound to keys. Default: such tokens are refused. */
  readonly dpop?: boolean | DpopOptions
  /** Origins of web pages that may call, besides those at the host of the resource. */
  readonly allowedOrigins?: readonly string[]
  /** More members of the metadata: `resource_name`, `resource_documentation`. */
  readonly metadata?: JsonObject
  /** How far clocks may differ, in seconds. Default: 30. */
  readonly clockToleranceS?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** What stands before a protected server. */
export interface Protection {
  readonly resource: Resource
  /** Tells who is calling, or why the request may not pass. Rejects only with what a verifier of somebody else throws. */
  authenticate(request: GuardedRequest): Promise<TokenAuth | Refusal>
  /** Answers with metadata, and what verifiers serve. */
  beside(request: ResourceRequest): Page | undefined | Promise<Page | undefined>
  /** The headers of a 403 for a request that needs more scopes. */
  challenge(scopes: readonly string[], auth: Auth | undefined): Readonly<Record<string, string>>
}

const TOLERANCE_S = 30

/**
 * Makes the protection of one server.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 *
 * @throws TypeError for options that could not protect it.
 */
export function createProtection(options: ProtectOptions): Protection {
  const { clockToleranceS = TOLERANCE_S, impliedScopes: implied = {}, scopes = [], now = Date.now } = options
  const resource = readResource(options.resource)
  const verifiers = [options.verify].flat().map((one): Verifier => (typeof one === 'function' ? { verify: one } : one))
  const authorizationServers =
    options.authorizationServers ?? verifiers.flatMap(({ beside, issuers = [] }) => (beside ? issuers : []))
  const scopesSupported = options.scopesSupported ?? scopes
  checkOptions(authorizationServers, [...scopes, ...scopesSupported])
  const dpop = options.dpop ? createDpop(resource.uri, { now, ...(options.dpop === true ? {} : options.dpop) }) : undefined
  const metadataUrl = authorizationServers.length > 0 ? resource.metadataUrl : undefined
  const refusals = createRefusals({ metadataUrl, scopes, scopesSupported, dpop })
  const { metadata } = options
  const described = {
    authorizationServers,
    scopesSupported,
    metadata,
    dpopAlgorithms: dpop?.algorithms,
    dpopRequired: dpop?.required,
  }
  const expected: Expected = { resource: resource.uri, issuers: authorizationServers, implied, clockToleranceS, now }

  return {
    resource,
    authenticate: createAuthenticate({ verifiers, expected, refusals, scopes, dpop }),
    beside: createBeside([createMetadata(resource, described), ...verifiers.flatMap(({ beside }) => beside ?? [])]),
    challenge: refusals.challenge,
  }
}

function checkOptions(authorizationServers: readonly string[], scopes: readonly string[]): void {
  for (const issuer of authorizationServers) readHttps('authorizationServers', issuer)
  const bad = scopes.find((scope) => !isScope(scope))
  if (bad !== undefined) throw new TypeError(`${JSON.stringify(bad)} is no scope`)
  if (scopes.includes('offline_access')) throw new TypeError('offline_access is for authorization servers, not for resources')
}

interface Gate {
  readonly verifiers: readonly Verifier[]
  readonly expected: Expected
  readonly refusals: Refusals
  readonly scopes: readonly string[]
  readonly dpop: Dpop | undefined
}

const NO_TOKEN = {
  none: (refusals: Refusals) => refusals.noToken(),
  several: (refusals: Refusals) => refusals.badRequest('One Authorization header is needed'),
  malformed: (refusals: Refusals) => refusals.badToken('The token is malformed'),
}

function createAuthenticate({ verifiers, expected, refusals, scopes, dpop }: Gate): Protection['authenticate'] {
  const identify = async (token: string): Promise<{ found: Token; auth: TokenAuth }> => {
    for (const verifier of verifiers) {
      const found = await verifier.verify(token)
      if (found) return { found, auth: admit(found, verifier, expected) }
    }
    throw new TokenRefused('The token is not known here')
  }
  /** Checks that who sends a token is who it was given to, as far as the token says. */
  const checkHolder = async (
    request: GuardedRequest,
    { scheme, token }: Sent,
    boundKey: string | undefined,
  ): Promise<ProofRefusal | undefined> => {
    if (boundKey === undefined && (scheme === 'dpop' || dpop?.required)) throw new TokenRefused('The token is bound to no key')
    if (boundKey === undefined) return undefined
    if (scheme === 'bearer' || !dpop) throw new TokenRefused('The token is bound to a key')
    return dpop.check(request, { token, boundKey })
  }
  return async (request) => {
    const presented = readCredentials(request)
    if (typeof presented === 'string') return NO_TOKEN[presented](refusals)
    try {
      const { found, auth } = await identify(presented.token)
      const badProof = await checkHolder(request, presented, found.boundKey)
      if (badProof) return refusals.badProof(badProof)
      return scopes.every((scope) => auth.scopes.includes(scope)) ? auth : refusals.lacking(auth)
    } catch (error) {
      if (error instanceof TokenRefused) return refusals.badToken(error.message)
      if (error instanceof VerifierUnavailable) return refusals.unavailable()
      throw error
    }
  }
}

function createBeside(pages: readonly NonNullable<Verifier['beside']>[]): Protection['beside'] {
  const [first, ...others] = pages
  return (request) => {
    const page = first?.(request)
    if (page || others.length === 0) return page
    for (const answer of others) {
      const other = answer(request)
      if (other) return other
    }
    return undefined
  }
}
