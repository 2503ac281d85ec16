import { limitedHost } from '../../../../../util/src/limited-host.ts'
import { createRateLimiter, type RateLimiter } from '../../../auth/rate-limiter.ts'
import type { EndpointError } from '../../../protocol/events.ts'
import type { VerificationOutcome } from '../../delivery/outcome.ts'
import type { EventSender } from '../../delivery/sender.ts'
import type { CreateEventError } from '../errors.ts'
import type { WebhookLimits } from './limits.ts'
import type { SubscriptionStore } from './subscription-store.ts'

/** An endpoint that must want the deliveries. */
export interface EndpointToProve {
  readonly principal: string
  readonly url: string
  readonly secrets: string
  readonly subscriptionId: string
  readonly isEndless: boolean
}

/** Makes sure that an endpoint wants deliveries. @throws RpcError `CallbackEndpointError`, `ResourceExhausted` */
export type ProveEndpoint = (endpoint: EndpointToProve) => Promise<void>

export interface ProofOptions {
  readonly sender: Pick<EventSender, 'verify'>
  readonly subscriptions: Pick<SubscriptionStore, 'hasProof' | 'saveProof'>
  readonly limits: Pick<WebhookLimits, ChallengeLimit | 'proofTtlMs'>
  /** Returns whether the operator knows that an endpoint wants deliveries. */
  readonly isKnown: (url: string, principal: string) => boolean | Promise<boolean>
  readonly createError: CreateEventError
  readonly onWarning: (message: string) => void
}

/** A limit of challenges. */
type ChallengeLimit = 'maxChallenges' | 'maxPrincipalChallenges'

const MINUTE_MS = 60_000
const FAILURES: { readonly [reason in EndpointError]: string } = {
  challenge_failed: 'did not return the challenge',
  connection_refused: 'cannot be reached',
  timeout: 'did not answer the challenge in time',
  tls_error: 'has no TLS connection that can be trusted',
  http_4xx: 'answered the challenge with a status from 400 to 499',
  http_5xx: 'answered the challenge with a status from 500 to 599',
}

export function createProveEndpoint(options: ProofOptions): ProveEndpoint {
  const { sender, subscriptions, limits, isKnown, createError, onWarning } = options
  const { proofTtlMs } = limits
  const limiterOf = (limit: ChallengeLimit) => createRateLimiter({ maxAttempts: limits[limit], windowMs: MINUTE_MS })
  const perHost = limiterOf('maxChallenges')
  const perPrincipal = limiterOf('maxPrincipalChallenges')

  const requireVerified = (outcome: VerificationOutcome): void => {
    if (outcome.type === 'verified') return
    if (outcome.type === 'refused') onWarning(`The endpoint of a subscription was refused: ${outcome.problem}`)
    const reason = outcome.type === 'failed' ? outcome.reason : 'connection_refused'
    throw createError('CallbackEndpointError', `The endpoint ${FAILURES[reason]}`, { reason })
  }
  const acquire = (limiter: RateLimiter, key: string, limit: ChallengeLimit): void => {
    if (limiter.tryAcquire(key)) return
    throw createError('ResourceExhausted', 'Too many challenges were sent; try again in a minute', { limit, max: limits[limit] })
  }
  const challenge = async ({ principal, url, secrets, subscriptionId }: EndpointToProve): Promise<void> => {
    const host = limitedHost(url)
    acquire(perPrincipal, principal, 'maxPrincipalChallenges')
    acquire(perHost, host, 'maxChallenges')
    requireVerified(await sender.verify({ url, secrets, subscriptionId }))
    // A host that wants the deliveries of many principals may get all their challenges.
    perHost.release(host)
  }
  return async (endpoint) => {
    const { principal, url, isEndless } = endpoint
    if (await isKnown(url, principal)) return
    const isProved = await subscriptions.hasProof(principal, url)
    if (!isProved) await challenge(endpoint)
    // The proof of a subscription without end must last as long.
    if (!isProved || isEndless) await subscriptions.saveProof(principal, url, isEndless ? undefined : proofTtlMs)
  }
}
