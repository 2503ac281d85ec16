import { REVISIONS } from '../../../portcall/src/protocol/revisions.ts'
import type { MethodNames } from '../protocol/servers.ts'

/** The methods of extensions that clients send, by era. https://github.com/modelcontextprotocol/ext-tasks */
const EXTENSION_REQUESTS = { legacy: [], modern: ['tasks/get', 'tasks/update', 'tasks/cancel'] } as const

/** The methods by which clients notify servers, by era. https://modelcontextprotocol.io/specification/2026-07-28/schema */
const NOTIFICATIONS = {
  legacy: ['notifications/cancelled', 'notifications/progress', 'notifications/initialized', 'notifications/roots/list_changed'],
  modern: ['notifications/cancelled'],
} as const

/** The methods of each revision, newest revision first. The page suggests them. */
export const METHOD_NAMES: readonly MethodNames[] = REVISIONS.map(({ version, era, requests }) => ({
  revision: version,
  requests: [...requests, ...EXTENSION_REQUESTS[era]],
  notifications: NOTIFICATIONS[era],
})).reverse()
