import { onAbort } from '../../../../util/src/abort.ts'
import { canonicalJson } from '../../../../util/src/canonical-json.ts'
import type { ClientExtensionContext } from '../../client/extension.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { EventDeliveryMode } from '../../protocol/events.ts'
import type { EventWebhook } from '../receiver/types.ts'
import { createInbox } from './inbox.ts'
import { createLifecycle, runAttempts } from './lifecycle.ts'
import { pollMode } from './poll.ts'
import { pushMode } from './push.ts'
import type { EventMode, EventSession } from './session.ts'
import type { ClientEventsOptions, EventHandler, EventOptions, EventSubscription, SavedWebhook } from './types.ts'
import { webhookMode } from './webhook.ts'

/** A subscription that is about to start. */
export interface SubscriptionStart {
  readonly context: Pick<ClientExtensionContext, 'request' | 'warn'>
  readonly name: string
  readonly arguments: JsonObject
  readonly mode: EventDeliveryMode
  readonly webhook: EventWebhook | undefined
  readonly handler: EventHandler
  readonly options: ClientEventsOptions & EventOptions
  /** Called when the subscription has ended. */
  onEnd(): void
}

/** A subscription, and what its client does with it. */
export interface StartedSubscription {
  readonly subscription: EventSubscription
  readonly hasEnded: boolean
  /** Resolves when the server has accepted the subscription. @throws why it was not accepted. */
  readonly active: Promise<void>
  /** Stops without telling the server, because the client closes. */
  detach(): void
}

/** Returns the key under which the state of a subscription is kept. */
export function stateKey({ name, arguments: args, webhook }: Pick<SubscriptionStart, 'name' | 'arguments' | 'webhook'>): string {
  return canonicalJson({ name, arguments: args, ...(webhook?.url !== undefined && { url: webhook.url }) })
}

/** Starts a subscription. It runs until it is closed, or until an attempt fails with an error that does not pass. */
export async function startSubscription(start: SubscriptionStart): Promise<StartedSubscription> {
  const { options, name, arguments: args, mode } = start
  const key = stateKey(start)
  const saved = (await options.state?.load(key)) ?? undefined
  let webhookState = saved?.webhook
  let stopListening = (): void => {}
  const lifecycle = createLifecycle(() => {
    stopListening()
    start.onEnd()
  })
  const onError = (error: unknown): void =>
    options.onError ? options.onError(error) : start.context.warn(`Events ${name}: ${String(error)}`)
  const saveState = async (): Promise<void> =>
    options.state?.save(key, { cursor: inbox.cursor, ...(webhookState && { webhook: webhookState }) })
  const saveWebhook = (next: SavedWebhook | undefined): Promise<void> => {
    webhookState = next
    return saveState()
  }
  const inbox = createInbox({
    cursor: saved?.cursor ?? options.cursor ?? null,
    signal: lifecycle.signal,
    onEvent: (event) => start.handler(event, subscription),
    onGap: (cursor) => options.onGap?.(cursor),
    onCursor: saveState,
    onError,
  })
  const session: EventSession = {
    ...{ request: start.context.request, name, arguments: args, options, saved },
    ...{ inbox, signal: lifecycle.signal, onError, saveWebhook, activate: lifecycle.activate },
    terminate: (error) => void lifecycle.end(error),
  }
  const running = createMode(mode, session, start.webhook)
  const close = async (): Promise<void> => {
    if (!lifecycle.end()) return
    await inbox.drained()
    await running.close?.()
    if (webhookState) await saveWebhook(undefined)
  }
  const ended = lifecycle.ended.finally(() => inbox.drained())
  ended.catch(() => {})
  let closing: Promise<void> | undefined
  const subscription: EventSubscription = {
    name,
    arguments: args,
    mode,
    get status() {
      return lifecycle.status
    },
    get cursor() {
      return inbox.cursor
    },
    ended,
    close: () => (closing ??= close().catch(onError)),
    [Symbol.asyncDispose]: () => subscription.close(),
  }
  if (options.signal) stopListening = onAbort(options.signal, () => void subscription.close())
  runAttempts(running, session, lifecycle).catch((error: unknown) => {
    lifecycle.end(error)
    running.detach?.()
  })
  return {
    subscription,
    get hasEnded() {
      return lifecycle.signal.aborted
    },
    active: lifecycle.active,
    detach() {
      lifecycle.end()
      running.detach?.()
    },
  }
}

function createMode(mode: EventDeliveryMode, session: EventSession, webhook: EventWebhook | undefined): EventMode {
  if (mode === 'webhook' && webhook) return webhookMode(session, webhook)
  return mode === 'push' ? pushMode(session) : pollMode(session)
}
