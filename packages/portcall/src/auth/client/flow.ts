import type { Authorizer, AuthProvider, SentRequest, SignedHeaders } from '../../protocol/authorizer.ts'
import { openStore } from '../../stores/open-store.ts'
import type { Store } from '../../stores/store.ts'
import { type AcquirerOptions, createAcquirer, type Held } from './acquire.ts'
import { readDemand } from './challenge.ts'
import { createDpopKeys, type DpopOptions } from './dpop-keys.ts'
import { AuthError } from './errors.ts'
import { createGuard } from './http/fetch.ts'
import type { Allowance } from './http/reach.ts'
import { coversScopes, joinScopes } from './scopes.ts'
import { createSession, type Session } from './session.ts'
import { createSteps, type Steps } from './steps.ts'
import type { Grant } from './types.ts'
import { createVault } from './vault.ts'

/** What all providers have in common. */
export interface FlowOptions {
  /** Where tokens and registrations rest. Default: in memory, for this provider alone. */
  readonly store?: Store
  /** An operation of the store that takes longer has failed, in milliseconds. Default: 30 s, longer than a file may be locked. */
  readonly storeTimeoutMs?: number
  /** Whose tokens they are, where several users share a store. */
  readonly account?: string
  /** Scopes that are asked for from the beginning. Default: those that the server names. */
  readonly scope?: string | readonly string[]
  /** Tokens are refreshed so long before they expire, in milliseconds. Default: 30 s; half their lifetime at the most. */
  readonly refreshAheadMs?: number
  /** How often more scopes are asked for in ten minutes for one operation. Default: 2; 0 for never. */
  readonly maxStepUps?: number
  /**
   * Binds tokens to a key, so that they are worth nothing to whoever takes them away; tokens that are not bound are then refused. Only for
   * authorization servers and MCP servers that support it (RFC 9449). Default: false.
   */
  readonly dpop?: boolean | DpopOptions
  /** Addresses besides public ones that servers may lead to: host names, or `insecurePrivateAddresses`, `insecureHttp`. */
  readonly allow?: readonly Allowance[]
  /** Sends the requests to authorization servers in place of what this platform has. */
  readonly fetch?: typeof globalThis.fetch
}

const STORE_TIMEOUT_MS = 30_000
const REFRESH_AHEAD_MS = 30_000
const MAX_STEP_UPS = 2

/**
 * Makes a provider of a way to tokens: everything that all ways have in common.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function createFlow(grant: Grant, options: FlowOptions = {}): AuthProvider {
  const { storeTimeoutMs = STORE_TIMEOUT_MS } = options
  const store = openStore(options.store, storeTimeoutMs)
  const known = new Map<string, Authorizer>()
  return {
    authorizer(given) {
      const endpoint = new URL(given)
      endpoint.hash = ''
      const authorizer = known.get(endpoint.href) ?? createAuthorizer(acquiring(endpoint, grant, { ...options, store }), options)
      known.set(endpoint.href, authorizer)
      return authorizer
    },
  }
}

function acquiring(endpoint: URL, grant: Grant, options: FlowOptions & { readonly store: Store }): AcquirerOptions {
  const { store, account = '', scope = [], refreshAheadMs = REFRESH_AHEAD_MS, allow = [], fetch, dpop = false } = options
  const guard = createGuard({ given: endpoint, allow, fetch })
  return {
    endpoint,
    grant,
    store,
    vault: createVault(store, JSON.stringify([grant.name, account]), endpoint),
    fetch: guard.fetch,
    openable: guard.openable,
    scope: joinScopes(...[scope].flat()),
    refreshAheadMs,
    bound: dpop !== false,
    keys: createDpopKeys(dpop === true || dpop === false ? {} : dpop),
  }
}

function createAuthorizer(acquiring: AcquirerOptions, { maxStepUps = MAX_STEP_UPS }: FlowOptions): Authorizer {
  const session = createSession(createAcquirer(acquiring))
  const steps = createSteps(maxStepUps)
  return {
    headers(request) {
      const { held } = session
      if (session.ready && !held?.dpop) return held ? bearer(held) : {}
      return session.prepare(request.signal).then((ready) => (ready ? sign(ready, request) : {}))
    },
    answered(answer, sent) {
      const { status } = answer
      const heard = { url: sent.url, nonce: answer.header('dpop-nonce'), proof: sent.headers.dpop }
      const lacksNonce = session.held?.dpop?.heard(heard) ?? false
      const token = tokenOf(sent)
      if (status !== 401 && token !== undefined) session.accept(token)
      if (status !== 401 && status !== 403) return false
      const refusal: Refusal = { demand: readDemand(answer.header('www-authenticate')), token, sent }
      if (status === 403) return stepUp(session, steps, refusal)
      return (lacksNonce && refusal.demand.error === 'use_dpop_nonce') || signInAgain(session, refusal)
    },
  }
}

interface Refusal {
  readonly demand: ReturnType<typeof readDemand>
  readonly token: string | undefined
  readonly sent: SentRequest
}

/** A token is missing, or was not taken: another may have come meanwhile, else one is got. Each way of getting one is tried once. */
async function signInAgain(session: Session, { demand, token, sent }: Refusal): Promise<boolean> {
  const { current, accepted } = session
  if (current && token !== current.tokens.accessToken) return true
  if (current?.source === 'obtained' && !accepted)
    throw new AuthError('retries_exhausted', `${sent.url.origin} refuses an access token that was issued just now`)
  const mayRefresh = current?.source !== 'refreshed' || accepted
  return session.renew({ refused: token, demand, mayRefresh }, sent.signal)
}

/**
 * The token lacks scopes. They are asked for together with those that were asked for before, and not again and again.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#step-up-authorization-flow
 */
async function stepUp(session: Session, steps: Steps, { demand, token, sent }: Refusal): Promise<boolean> {
  const { held } = session
  if (demand.error !== 'insufficient_scope' || demand.scope === undefined || !held) return false
  const isAsked = coversScopes(held.tokens.asked, demand.scope)
  if (isAsked) return token !== held.tokens.accessToken
  const operation = `${sent.headers['mcp-method'] ?? sent.method} ${sent.headers['mcp-name'] ?? ''}`
  const mayBegin = (): boolean => steps.take(operation)
  return session.renew({ refused: token, demand, mayRefresh: false, mayBegin }, sent.signal)
}

const SCHEME = /^(?:bearer|dpop) +/i

function tokenOf({ headers }: SentRequest): string | undefined {
  const { authorization = '' } = headers
  return SCHEME.test(authorization) ? authorization.replace(SCHEME, '') : undefined
}

const bearer = ({ tokens }: Held): SignedHeaders => ({ authorization: `Bearer ${tokens.accessToken}` })

async function sign(held: Held, { method, url }: Parameters<Authorizer['headers']>[0]): Promise<SignedHeaders> {
  const { accessToken } = held.tokens
  if (!held.dpop) return bearer(held)
  return { authorization: `DPoP ${accessToken}`, dpop: await held.dpop.proof({ method, url, accessToken }) }
}
