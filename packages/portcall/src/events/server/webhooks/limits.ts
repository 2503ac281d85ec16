/** The limits and timings of webhook subscriptions. */
export interface WebhookLimits {
  /** Maximum number of subscriptions of all principals. */
  maxSubscriptions: number
  /** Maximum number of subscriptions of one principal. */
  maxPrincipalSubscriptions: number
  /** How long a subscription lasts if the client does not say it, in milliseconds. */
  ttlMs: number
  /** The shortest time that is granted, in milliseconds. */
  minTtlMs: number
  /** The longest time that is granted, in milliseconds. */
  maxTtlMs: number
  /** How long the proof that an endpoint wants deliveries is valid, in milliseconds. */
  proofTtlMs: number
  /** How many challenges this process sends to one host in a minute that the host does not return. */
  maxChallenges: number
  /** How many challenges this process sends in a minute for one principal. */
  maxPrincipalChallenges: number
  /** How long deliveries are signed with the previous secret too, in milliseconds. */
  secretOverlapMs: number
  /** Maximum number of attempts to deliver one event. */
  maxAttempts: number
  /** Maximum number of events of one subscription that wait for another attempt. Then the events after them wait, too. */
  maxHeld: number
  /** The delay before the second attempt, in milliseconds. It doubles with each further one. */
  retryDelayMs: number
  /** Upper bound of the delay between two attempts. */
  maxRetryDelayMs: number
  /** Deliveries are suspended when all attempts have failed for this time, in milliseconds. A refresh resumes them. */
  suspendAfterMs: number
  /** Maximum number of deliveries that this process makes at the same time. */
  maxConcurrent: number
  /** Maximum number of deliveries that this process makes to one host at the same time. */
  maxHostConcurrent: number
  /** Maximum number of deliveries that this process makes for one principal at the same time: slow endpoints of one do not hold up others. */
  maxPrincipalConcurrent: number
  /** Time for one delivery, in milliseconds. */
  timeoutMs: number
  /** How long the subscription of a process that has failed remains locked, in milliseconds. */
  leaseTtlMs: number
  /** How often this process looks for subscriptions that nobody delivers, in milliseconds. */
  sweepIntervalMs: number
}

export const WEBHOOK_LIMITS: WebhookLimits = {
  maxSubscriptions: 10_000,
  maxPrincipalSubscriptions: 100,
  ttlMs: 3_600_000,
  minTtlMs: 300_000,
  maxTtlMs: 86_400_000,
  proofTtlMs: 86_400_000,
  maxChallenges: 10,
  maxPrincipalChallenges: 60,
  secretOverlapMs: 300_000,
  maxAttempts: 5,
  maxHeld: 16,
  retryDelayMs: 10_000,
  maxRetryDelayMs: 300_000,
  suspendAfterMs: 3_600_000,
  maxConcurrent: 64,
  maxHostConcurrent: 8,
  maxPrincipalConcurrent: 16,
  timeoutMs: 10_000,
  leaseTtlMs: 15_000,
  sweepIntervalMs: 15_000,
}
