import { backoffMs } from '../../../../../util/src/backoff.ts'
import { limitedHost } from '../../../../../util/src/limited-host.ts'
import type { Turns } from '../../../../../util/src/turns.ts'
import type { DeliveryFailure, DeliveryOutcome } from '../../delivery/outcome.ts'
import type { EventSender } from '../../delivery/sender.ts'
import type { LeasedSubscription } from './leased-subscription.ts'
import type { WebhookLimits } from './limits.ts'
import type { OutgoingMessage } from './messages.ts'
import { type DeliveryState, delivered, failed, nextRetryAt, type SubscriptionRecord, secretsOf } from './record.ts'
import { type StateWriter, StoppedError } from './state-writer.ts'

/** Options of what sends messages to endpoints. */
export interface WebhookSendOptions {
  readonly sender: Pick<EventSender, 'deliver'>
  /** Limits the deliveries of this process; the owner is the host. */
  readonly turns: Turns
  /** Limits the deliveries for each principal. */
  readonly principalTurns: Turns
  readonly now: () => number
}

export interface AttemptOptions extends WebhookSendOptions {
  readonly limits: WebhookLimits
  readonly onWarning: (message: string) => void
}

/** A subscription whose messages are sent. */
export interface AttemptedSubscription {
  readonly leased: LeasedSubscription
  readonly state: StateWriter
  /** Reads the subscription. @throws StoppedError if it is gone. */
  readonly requireRecord: () => Promise<SubscriptionRecord>
}

/** The failure of an attempt. `attempts` counts it. */
export interface FailedAttempt {
  readonly reason: DeliveryFailure
  readonly retryAfterMs?: number
  readonly attempts: number
}

/** The states that may follow an attempt: the message is sent again, or not. */
export interface Consequences {
  keep(before: DeliveryState, retryAt: number): DeliveryState
  drop(before: DeliveryState): DeliveryState
}

/** The attempts to deliver messages of a subscription. Each records its outcome. */
export interface Attempts {
  /** Reports whether the next event may be sent now. */
  mayContinue(): boolean
  /** Records a failed attempt. The message is given up after the last one. Resolves to false if a refresh has moved the position. */
  fail(failure: FailedAttempt, consequences: Consequences): Promise<boolean>
  /** Sends a message. Resolves to whether the next one may follow. */
  attempt(message: OutgoingMessage, attempts: number, consequences: Consequences): Promise<boolean>
}

export function createAttempts({ leased, state, requireRecord }: AttemptedSubscription, options: AttemptOptions): Attempts {
  const { type, signal } = leased
  const { limits, onWarning, now } = options
  const mayContinue = (): boolean => {
    const { isSuspended, retryAt = 0, held = [] } = state.current
    return !isSuspended && retryAt <= now() && held.length < limits.maxHeld && nextRetryAt(state.current) > now()
  }
  const warn = async (problem: string, reason: DeliveryFailure): Promise<void> =>
    onWarning(`${problem}: the endpoint of subscription ${(await requireRecord()).id} to ${type.name} fails with ${reason}`)
  const retryDelay = (attempts: number): number =>
    backoffMs(attempts, { firstMs: limits.retryDelayMs, maxMs: limits.maxRetryDelayMs, jitter: 0.25 })

  const fail = async ({ reason, retryAfterMs, attempts }: FailedAttempt, { keep, drop }: Consequences): Promise<boolean> => {
    let end: string | undefined
    const isSaved = await state.save((before) => {
      const after = failed(before, reason, now())
      const isSuspended = now() - (after.failedSince ?? 0) >= limits.suspendAfterMs
      const isGivenUp = !isSuspended && attempts >= limits.maxAttempts
      if (isSuspended) end = 'Deliveries are suspended'
      else end = isGivenUp ? `An event was given up after ${limits.maxAttempts} attempts` : undefined
      if (isGivenUp) return drop(after)
      const kept = keep(after, now() + Math.max(retryAfterMs ?? 0, retryDelay(attempts - 1)))
      // The endpoint asks for a pause: other events are no better than this one.
      const paused = retryAfterMs ? { ...kept, retryAt: now() + retryAfterMs } : kept
      return isSuspended ? { ...paused, isSuspended } : paused
    })
    if (end !== undefined) await warn(end, reason)
    return isSaved
  }
  const record = (outcome: DeliveryOutcome, attempts: number, consequences: Consequences): Promise<boolean> => {
    if (outcome.type === 'delivered') return state.save((before) => delivered(consequences.drop(before), now()))
    if (outcome.type === 'retry') return fail({ ...outcome, attempts }, consequences)
    if (outcome.type !== 'refused') return state.save(consequences.drop)
    onWarning(`The endpoint of a subscription was refused: ${outcome.problem}`)
    return fail({ reason: 'connection_refused', attempts }, consequences)
  }
  const attempt = async (message: OutgoingMessage, attempts: number, consequences: Consequences): Promise<boolean> => {
    const outcome = await sendToEndpoint(message, await requireRecord(), { signal, options })
    return (await record(outcome, attempts, consequences)) && mayContinue()
  }
  return { mayContinue, fail, attempt }
}

/** Sends a message when it is the turn of the host. */
export async function sendToEndpoint(
  message: OutgoingMessage,
  record: SubscriptionRecord,
  { signal, options }: { readonly signal: AbortSignal; readonly options: WebhookSendOptions },
): Promise<DeliveryOutcome> {
  const { sender, turns, principalTurns, now } = options
  const send = (): Promise<DeliveryOutcome> => {
    const secrets = secretsOf(record, now())
    return sender.deliver({ ...message, url: record.url, subscriptionId: record.id, secrets, signal })
  }
  // A delivery that waits for its principal takes no place of others.
  const sendInTurn = (): Promise<DeliveryOutcome> => inTurn(send, signal, { turns, owner: limitedHost(record.url) })
  return inTurn(sendInTurn, signal, { turns: principalTurns, owner: record.principal })
}

async function inTurn<T>(
  run: () => Promise<T>,
  signal: AbortSignal,
  { turns, owner }: { readonly turns: Turns; readonly owner: string },
): Promise<T> {
  if ((await turns.begin({ signal }, owner)) !== true) throw new StoppedError()
  try {
    return await run()
  } finally {
    turns.end(owner)
  }
}
