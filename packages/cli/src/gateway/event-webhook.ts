/** The endpoint of a gateway to which servers deliver events. */
import { type EventWebhook, eventWebhook } from 'portcall/events/client'
import type { GatewayConfig, GatewayOptions } from 'portcall/gateway'
import type { HookRequest, HookResponse, OnRequest } from 'portcall/http'
import type { Stores } from 'portcall/stores'
import { pathOf } from '../../../util/src/request-target.ts'
import { usageError } from '../cli-error.ts'

type Servers = GatewayOptions['servers']

/** The deliveries of events, for all servers of a gateway. */
export interface EventDeliveries {
  /** Returns the servers of a configuration, with the webhook of those that have one. @throws CliError if nothing can be delivered. */
  serversOf(config: GatewayConfig): Servers
  /** Answers the deliveries. */
  readonly onRequest: OnRequest
  /** Returns the URL of the deliveries; `undefined` if there are none. */
  url(): URL | undefined
}

export interface EventDeliveriesOptions {
  readonly stores: Stores | undefined
  readonly sealingKeys: readonly string[] | undefined
  /** The gateway serves its clients over stdio. */
  readonly isStdio: boolean
  /** Called with what was thrown while a delivery was processed. */
  readonly onError: (error: unknown) => void
}

/** Creates the receiver of deliveries. It has no webhook until a configuration needs one. */
export function createEventDeliveries({ stores, sealingKeys, isStdio, onError }: EventDeliveriesOptions): EventDeliveries {
  let current: { readonly webhook: EventWebhook; readonly url: URL } | undefined
  const webhookAt = (url: string): EventWebhook => {
    if (current?.webhook.url === url) return current.webhook
    const shared = stores && { stores, ...(sealingKeys && { sealingKeys }) }
    const webhook = eventWebhook({ url, onError, ...shared })
    current = { webhook, url: new URL(url) }
    return webhook
  }
  return {
    serversOf({ options: { servers }, settings: { eventWebhook: settings } }) {
      if (!settings) return servers
      if (isStdio)
        throw usageError(
          `gateway.servers.${settings.servers[0]}.eventWebhook: a gateway over stdio receives no deliveries`,
          'start it without --stdio, or remove eventWebhook',
        )
      const webhook = webhookAt(settings.url)
      return Object.fromEntries(
        Object.entries(servers).map(([name, server]) => [
          name,
          settings.servers.includes(name) ? withWebhook(server, webhook) : server,
        ]),
      )
    },
    onRequest(request) {
      if (!current || pathOf(request.target) !== current.url.pathname) return undefined
      return answer(current.webhook, request)
    },
    url: () => current?.url,
  }
}

function withWebhook(server: Servers[string], webhook: EventWebhook): Servers[string] {
  return typeof server === 'object' && 'target' in server ? { ...server, eventWebhook: webhook } : server
}

/** The headers that a webhook reads. */
const HEADERS: readonly string[] = [
  'content-type',
  'content-length',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-mcp-subscription-id',
]
/** A body of more bytes is refused unread. */
const MAX_BODY_BYTES = 262_144

async function answer(webhook: EventWebhook, request: HookRequest): Promise<HookResponse> {
  const { method } = request
  const headers = HEADERS.flatMap((name): [string, string][] => {
    const value = request.header(name)
    return value === undefined ? [] : [[name, value]]
  })
  const isRead = method === 'POST' && Number(request.header('content-length') ?? 0) <= MAX_BODY_BYTES
  const body = isRead ? await readText(request) : undefined
  const response = await webhook(new Request('http://127.0.0.1/', { method, headers, ...(body !== undefined && { body }) }))
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}

async function readText(request: HookRequest): Promise<string> {
  const body = await request.readBody()
  return 'text' in body ? body.text : JSON.stringify(body.parsed)
}
