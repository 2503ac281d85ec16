import { PortcallError } from '../../../../util/src/errors.ts'
import type { ErrorBody } from '../../jsonrpc/message.ts'

/** The cause of an `EventSubscriptionError`. */
export type EventSubscriptionErrorReason = 'unknown_event' | 'no_delivery_mode' | 'terminated'

/** Thrown when a subscription to events cannot be made, and when the server has ended it. */
export class EventSubscriptionError extends PortcallError {
  override readonly name = 'EventSubscriptionError'
  readonly code = 'EVENT_SUBSCRIPTION_FAILED'
  /**
   * The cause. `unknown_event`: the server does not list the event type. `no_delivery_mode`: neither of its delivery modes can be used here.
   * `terminated`: the server has ended the subscription.
   */
  readonly reason: EventSubscriptionErrorReason
  /** The error that the server gave as the reason of a termination. Its `code` decides: `eventErrorName(error)`. */
  readonly error?: ErrorBody

  /** `error` is that of the server, if it named one. */
  constructor(reason: EventSubscriptionErrorReason, message: string, error?: ErrorBody) {
    super(message)
    this.reason = reason
    if (error) this.error = error
  }
}
