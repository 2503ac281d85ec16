/** A server over HTTP that delivers its events to webhooks only, and knows its callers by an API key. */
import { createServer } from 'portcall'
import { apiKeys, hashApiKey, protect } from 'portcall/auth/server'
import { events } from 'portcall/events'
import { serve } from 'portcall/node'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.mjs'

const KEY = 'a-key-of-the-shop-0123456789'

/** A request about a subscription that the server has received. */
export interface SubscriptionRequest {
  readonly method: string
  readonly url: string
  readonly secret: string
  /** The id of the subscription, once it was made. */
  id?: unknown
}

export interface EventShop {
  /** The entry of the server in a configuration. */
  readonly entry: { readonly url: string; readonly headers: { readonly [name: string]: string } }
  /** The subscriptions that were made, refreshed and ended. */
  readonly requests: readonly SubscriptionRequest[]
  emit(eventId: string, more?: object): Promise<unknown>
  /** Removes the event type. */
  remove(): void
}

/** Starts the server until the test ends. The default way of delivery is the webhook. */
export async function serveEventShop(delivery: readonly ('webhook' | 'push')[] = ['webhook']): Promise<EventShop> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/mcp`
  const requests: SubscriptionRequest[] = []
  const limits = { sweepIntervalMs: 100, retryDelayMs: 100, maxRetryDelayMs: 100, maxAttempts: 1000 }
  const server = createServer(
    { name: 'shop', version: '1' },
    {
      extensions: [events({ webhooks: { allow: ['127.0.0.1'], limits } })],
    },
  )
  server.use(async (request, context, next) => {
    const { method, params = {} } = request
    if (method !== 'events/subscribe' && method !== 'events/unsubscribe') return next(request, context)
    const received: SubscriptionRequest = { method, ...(params.delivery as { url: string; secret: string }) }
    requests.push(received)
    const response = await next(request, context)
    if ('result' in response) received.id = response.result.id
    return response
  })
  const created = server.event('order.created', { description: 'Orders', payload: { type: 'object' }, delivery: [...delivery] })
  const verify = apiKeys([{ subject: 'gateway', hash: await hashApiKey(KEY) }])
  const { close } = await serve(server, {
    ...protect({ resource: url, authorizationServers: [], verify }),
    port,
    handleProcessSignals: false,
    drainTimeoutMs: 0,
  })
  onTestFinished(async () => {
    await server.event.stop()
    await close()
    server.close()
  })
  return {
    entry: { url, headers: { authorization: `Bearer ${KEY}` } },
    requests,
    emit: (eventId, more = {}) => created.emit({ id: eventId, ...more }, { eventId }),
    remove: created.remove,
  }
}
