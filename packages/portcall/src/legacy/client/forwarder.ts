import { ErrorCode } from '../../jsonrpc/errors.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { isSuccess, type JsonObject, type Notification, type Response } from '../../jsonrpc/message.ts'
import { missingClientCapability } from '../../protocol/errors.ts'
import { createNotificationRouter, type RouteOwner } from '../../protocol/notification-router.ts'
import type { Revision } from '../../protocol/revisions.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import type { ClientCapabilities, LoggingLevel, ServerCapabilities } from '../../protocol/types.ts'
import { omitFields, withoutReservedMeta } from '../render/downgrade-plan.ts'
import type { LegacyConnection } from './connection.ts'
import type { OnInputRequest } from './input-requests.ts'
import { readResponse } from './read-response.ts'
import { createUrlElicitations, requiresUrlElicitation } from './url-elicitation.ts'

export interface ForwarderOptions {
  readonly connection: LegacyConnection
  /** The capabilities that the client declared. */
  readonly capabilities: ClientCapabilities
  /** Called when the server asks the caller of a request for input. */
  readonly onInputRequest?: OnInputRequest
  /** The capabilities that the server declared. */
  readonly serverCapabilities: ServerCapabilities
  readonly revision: Revision
}

/** Forwards requests of the newest revision to a legacy server. */
export interface Forwarder {
  readonly exchange: Exchange
  /** Delivers a notification to the requests that it concerns: to the one with the context `origin`, if it is known. */
  deliver(notification: Notification, origin?: RouteOwner): void
}

/** Creates a forwarder for the requests of one connection. */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const { connection, capabilities, serverCapabilities, revision, onInputRequest } = options
  const reports = createNotificationRouter()
  const urlElicitations = createUrlElicitations(capabilities, onInputRequest)
  const setLogLevel = createLogLevelSetter(connection, serverCapabilities)

  return {
    async exchange(request, context) {
      const { id, method } = request
      const report = reports.register(request.params, context.notify, context)
      const params = legacyParams(report.params, revision)
      const send = async (): Promise<Response> =>
        readResponse({ id, method, params }, await connection.request(method, params, context))
      try {
        const levelSet = setLogLevel(reports.logLevel)
        if (levelSet) await levelSet
        const response = urlElicitations.rejectDeclined(request) ?? (await send())
        if (serverCapabilities.extensions?.[TASKS_EXTENSION] && requiresTask(method, response))
          return missingClientCapability({ extensions: { [TASKS_EXTENSION]: {} } }).response(id)
        return requiresUrlElicitation(method, response)
          ? await urlElicitations.complete(response, { request, context, send })
          : response
      } finally {
        report.unregister()
      }
    },
    deliver(message, origin) {
      if (message.method === 'notifications/elicitation/complete') urlElicitations.onComplete(message.params?.elicitationId)
      else reports.route(message, origin)
    },
  }
}

/** Reports whether a tool can only be called as a task, and was not. */
function requiresTask(method: string, response: Response): boolean {
  return method === 'tools/call' && !isSuccess(response) && response.error.code === ErrorCode.methodNotFound
}

const ROUND_TRIP_PARAMS = ['inputResponses', 'requestState']
const ROUND_TRIP_PARAMS_AND_CONTEXT = [...ROUND_TRIP_PARAMS, 'context']

/** Omits the params that the revision does not define. */
function legacyParams(params: JsonObject | undefined, { completionContext }: Revision): JsonObject | undefined {
  if (!params) return undefined
  const hasContext = completionContext || !('ref' in params)
  return withoutReservedMeta(omitFields(params, hasContext ? ROUND_TRIP_PARAMS : ROUND_TRIP_PARAMS_AND_CONTEXT))
}

/**
 * Sets the log level of the session, of which there is only one: to the level that the open requests want. It stays unchanged while none
 * wants any. The returned function resolves when the server has set the level, and returns `undefined` if no level was ever set.
 */
function createLogLevelSetter(
  connection: LegacyConnection,
  { logging }: ServerCapabilities,
): (wanted: LoggingLevel | undefined) => Promise<unknown> | undefined {
  let level: LoggingLevel | undefined
  let levelSet: Promise<unknown> | undefined

  return (wanted) => {
    if (logging && wanted && wanted !== level) {
      level = wanted
      levelSet = connection.request('logging/setLevel', { level: wanted }).catch(() => {})
    }
    return levelSet
  }
}
