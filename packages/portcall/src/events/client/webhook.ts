import { delay } from '../../../../util/src/timers.ts'
import { InvalidResultError } from '../../client/errors.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { type EventDeliveryStatus, EventMethod, type EventOccurrence, eventErrorName } from '../../protocol/events.ts'
import type { EventWebhook, RegisteredSubscription } from '../receiver/types.ts'
import { createWebhookSecret } from '../signature.ts'
import { terminationOf } from './push.ts'
import { type EventMode, type EventSession, selectionOf } from './session.ts'

/** A subscription without end is refreshed as if it lasted a day, because positions and statuses arrive only then. */
const LONGEST_TTL_MS = 86_400_000
/** A server that does not say when its subscription ends gets a refresh as if it lasted so long. */
const UNKNOWN_TTL_MS = 600_000
const MIN_REFRESH_DELAY_MS = 1000

/** Creates the mode in which the server sends events to a URL. Each attempt is one subscription or refresh, and the time until the next. */
export function webhookMode(session: EventSession, webhook: EventWebhook): EventMode {
  const { request, inbox, signal, options, saved, name, arguments: args } = session
  const { url } = webhook
  if (url === undefined) throw new TypeError('client.events.on: the webhook has no url. Pass it to eventWebhook({ url })')
  const secret = saved?.webhook?.secret ?? createWebhookSecret()
  let registered: RegisteredSubscription | undefined

  const register = async (): Promise<RegisteredSubscription> => {
    const listener = {
      onEvent: (event: EventOccurrence) => inbox.take({ event, cursor: event.cursor }),
      onGap: (cursor: unknown) => inbox.add({ cursor, truncated: true }),
      onTerminated: (error: unknown) => session.terminate(terminationOf(error)),
    }
    const registration = await webhook.register({ secret, name, arguments: args, listener })
    if (saved?.webhook) await registration.confirm(saved.webhook.id, timeOf(saved.webhook.refreshBefore))
    return registration
  }

  return {
    async attempt() {
      registered ??= await register()
      const { ttlMs } = options
      const delivery = { mode: 'webhook', url, secret }
      const params = { ...selectionOf(session), delivery, ...(ttlMs !== undefined && { ttlMs }) }
      const result = await request(EventMethod.subscribe, params, { signal })
      const { id } = result
      if (typeof id !== 'string' || id === '') throw new InvalidResultError(`The result of ${EventMethod.subscribe} has no id`)
      const refreshBefore = typeof result.refreshBefore === 'string' ? result.refreshBefore : null
      await registered.confirm(id, timeOf(refreshBefore))
      await session.saveWebhook({ id, secret, refreshBefore })
      session.activate()
      await inbox.add({ cursor: result.cursor, truncated: result.truncated === true })
      const { deliveryStatus } = result
      if (isObject(deliveryStatus)) options.onDeliveryStatus?.(deliveryStatus as unknown as EventDeliveryStatus)
      await delay(refreshDelay(result), signal)
    },
    async close() {
      const unsubscribed = await request(EventMethod.unsubscribe, {
        name,
        arguments: args,
        delivery: { mode: 'webhook', url },
      }).catch((error: unknown) => error)
      if (unsubscribed instanceof Error && !isNotFound(unsubscribed)) session.onError(unsubscribed)
      await registered?.end().catch(session.onError)
    },
    detach: () => registered?.detach(),
  }
}

/** Returns how long to wait before the refresh: to a random point of the second half of the time, and some time before its end. */
export function refreshDelay({ refreshBefore }: JsonObject): number {
  const end = typeof refreshBefore === 'string' ? Date.parse(refreshBefore) : Number.NaN
  const ttlMs = refreshBefore === null ? LONGEST_TTL_MS : Number.isNaN(end) ? UNKNOWN_TTL_MS : end - Date.now()
  const fraction = 0.5 + 0.4 * Math.random()
  return Math.max(MIN_REFRESH_DELAY_MS, Math.min(ttlMs, LONGEST_TTL_MS) * fraction)
}

/** Returns when a subscription ends, in milliseconds since 1970; `null` if it does not, or if the server does not say. */
export function timeOf(refreshBefore: string | null): number | null {
  const time = refreshBefore === null ? Number.NaN : Date.parse(refreshBefore)
  return Number.isNaN(time) ? null : time
}

function isNotFound(error: unknown): boolean {
  return error instanceof RpcError && eventErrorName(error) === 'NotFound'
}
