import { RpcError } from '../../jsonrpc/errors.ts'
import { EVENT_ERROR_CODES, type EventErrorData, type EventErrorName, type EventErrorProfile } from '../../protocol/events.ts'
import type { EventsProfile } from './profile.ts'

/** Creates an error of the extension, with the number that the profile has for it. */
export type CreateEventError = <Name extends EventErrorName>(name: Name, message: string, data?: EventErrorData[Name]) => RpcError

/** Returns the function that creates the errors of a profile. */
export function eventErrors(profile: EventErrorProfile): CreateEventError {
  const codes = EVENT_ERROR_CODES[profile]
  return (name, message, data) => new RpcError(codes[name], message, data)
}

/** Returns the result of `events/unsubscribe` where there is no subscription. @throws RpcError `NotFound`, as the profile says. */
export function unknownSubscription(
  { unknownSubscription: kind }: Pick<EventsProfile, 'unknownSubscription'>,
  createError: CreateEventError,
): object {
  if (kind === 'empty') return {}
  throw createError('NotFound', 'There is no such subscription', { kind: 'subscription' })
}
