import type { EventErrorProfile } from '../../protocol/events.ts'

/** The parts of the extension that products and versions of its text do differently. */
export interface EventsProfile {
  /** The numbers of errors. */
  readonly errors: EventErrorProfile
  /** True to offer events to clients of revisions with `initialize` too. The SEP forbids it. */
  readonly legacy: boolean
  /** True to declare the capability `events` of the design sketch beside the extension. */
  readonly topLevelCapability: boolean
  /** The answer to `events/unsubscribe` for a subscription that does not exist: the error `NotFound`, or an empty result. */
  readonly unknownSubscription: 'error' | 'empty'
  /** The `webhook-id` of a delivery: the id of the event, or an id of its own that all attempts share. */
  readonly webhookId: 'event' | 'message'
}

/** The name of a profile: the text of the SEP, or what ChatGPT documents. */
export type EventsProfileName = 'spec' | 'chatgpt'

const PROFILES: { readonly [name in EventsProfileName]: EventsProfile } = {
  spec: { errors: 'spec', legacy: false, topLevelCapability: false, unknownSubscription: 'error', webhookId: 'event' },
  chatgpt: { errors: 'sketch', legacy: true, topLevelCapability: true, unknownSubscription: 'empty', webhookId: 'event' },
}

/** Returns a profile by its name, or completes one from that of the SEP. */
export function readProfile(profile: EventsProfileName | Partial<EventsProfile> = 'spec'): EventsProfile {
  return typeof profile === 'string' ? PROFILES[profile] : { ...PROFILES.spec, ...profile }
}
