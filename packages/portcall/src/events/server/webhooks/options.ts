import type { OptionNames } from '../../../../../util/src/check-options.ts'
import type { EventSenderOptions } from '../../delivery/sender.ts'
import type { WebhookLimits } from './limits.ts'

/** How events are delivered to webhooks. */
export interface WebhooksOptions extends Pick<EventSenderOptions, 'allow' | 'fetch'> {
  /**
   * Returns whether an endpoint is known to want deliveries, for instance because an operator has listed it. Others must prove it by returning a
   * challenge. Default: none is known.
   */
  readonly isKnown?: (url: string, principal: string) => boolean | Promise<boolean>
  /** True to grant subscriptions without end to clients that ask for them. Use it with a store that lasts. Default: false. */
  readonly allowEndless?: boolean
  /** False if this process only accepts subscriptions, and others deliver. Default: true. */
  readonly runWorker?: boolean
  /** Limits on counts and times. */
  readonly limits?: Partial<WebhookLimits>
}

export const WEBHOOKS_NAMES: OptionNames<WebhooksOptions> = {
  allow: 'array',
  fetch: 'function',
  isKnown: 'function',
  allowEndless: 'boolean',
  runWorker: 'boolean',
  limits: 'object',
}
