import { parseUrl } from '../../../../util/src/parse-url.ts'
import { webhookUrlProblem } from '../../events/receiver/webhook-url.ts'
import type { ConfigIssue, GatewaySection } from './types.ts'

const DEFAULT_PATH = '/mcp-events'

/** Returns the URL to which servers deliver events; `undefined` if the gateway knows none. */
export function eventWebhookUrl({ eventWebhook, auth }: GatewaySection): string | undefined {
  if (eventWebhook?.url !== undefined) return eventWebhook.url
  const origin = auth && parseUrl(auth.resource)?.origin
  return origin === undefined ? undefined : origin + DEFAULT_PATH
}

/** Checks the URL to which servers deliver events. The paths of issues begin in the section. */
export function checkEventWebhook(section: GatewaySection): ConfigIssue[] {
  const { servers = {}, eventWebhook, auth, listen } = section
  const url = eventWebhookUrl(section)
  const users = Object.entries(servers).flatMap(([name, server]) => (server.eventWebhook ? [name] : []))
  if (url === undefined)
    return users.map((name) => ({
      path: ['servers', name, 'eventWebhook'],
      message: 'needs gateway.eventWebhook.url: a public URL at which the server reaches the gateway',
    }))
  if (users.length === 0 && eventWebhook?.url === undefined) return []
  const path = eventWebhook?.url === undefined ? ['servers', users[0] ?? '', 'eventWebhook'] : ['eventWebhook', 'url']
  const where =
    eventWebhook?.url === undefined ? 'needs gateway.eventWebhook.url: the one at the origin of gateway.auth.resource ' : ''
  const problem =
    webhookUrlProblem(url) ?? pathProblem(url, (auth && parseUrl(auth.resource)?.pathname) ?? listen?.path ?? '/mcp')
  return problem === undefined ? [] : [{ path, message: where + problem }]
}

function pathProblem(url: string, endpoint: string): string | undefined {
  const { pathname } = new URL(url)
  if (pathname === '/') return 'needs a path, such as /mcp-events'
  const isBelow = `${pathname}/`.startsWith(endpoint.endsWith('/') ? endpoint : `${endpoint}/`) && endpoint !== '/'
  return isBelow ? `must not be at the path of the endpoint, ${endpoint}, or below it` : undefined
}
