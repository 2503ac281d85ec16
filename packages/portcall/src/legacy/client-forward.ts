import type { Exchange } from '../jsonrpc/exchange.ts'
import type { JsonObject, Notification } from '../jsonrpc/message.ts'
import { createReports } from '../protocol/reports.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { ClientCapabilities, LoggingLevel, ServerCapabilities } from '../protocol/types.ts'
import { readResponse } from './client-result.ts'
import { createVisits } from './client-visits.ts'
import type { LegacyLink } from './link.ts'
import { withLegacyMeta, without } from './plan.ts'

export interface ForwarderOptions {
  readonly link: LegacyLink
  /** What the client has declared, and what the server has. */
  readonly capabilities: ClientCapabilities
  readonly server: ServerCapabilities
  readonly revision: Revision
}

/** Sends requests of the newest revision to a legacy server. */
export interface Forwarder {
  readonly exchange: Exchange
  /** Brings a notification to the requests that it is about. */
  deliver(notification: Notification): void
}

export function createForwarder({ link, capabilities, server, revision }: ForwarderOptions): Forwarder {
  const reports = createReports()
  const visits = createVisits(capabilities)
  const setLevel = createLevelSetter(link, server)

  return {
    async exchange(request, { signal, notify, send }) {
      const { id, method } = request
      const report = reports.enter(request, notify)
      const params = legacyParams(report.params, revision)
      const options = { signal, ...(send?.headers && { headers: send.headers }) }
      try {
        await setLevel(reports.level)
        return await visits.call(request, signal, async () => {
          const response = await link.ask(method, params, options)
          return readResponse(method, { ...response, id }, params ?? {})
        })
      } finally {
        report.leave()
      }
    },
    deliver(told) {
      if (told.method === 'notifications/elicitation/complete') visits.completed(told.params?.elicitationId)
      else reports.deliver(told)
    },
  }
}

/** Takes off what the revision does not have. */
function legacyParams(params: JsonObject | undefined, { completionContext }: Revision): JsonObject | undefined {
  if (!params) return undefined
  const { inputResponses: _answers, requestState: _state, ...given } = params
  return withLegacyMeta(completionContext || !('ref' in given) ? given : without(given, ['context']))
}

/** A session has one level of log messages. It follows what the open requests want, and stays while none wants any. */
function createLevelSetter(
  link: LegacyLink,
  { logging }: ServerCapabilities,
): (wanted: LoggingLevel | undefined) => Promise<unknown> {
  let level: LoggingLevel | undefined
  let setting: Promise<unknown> = Promise.resolve()

  return (wanted) => {
    if (logging && wanted && wanted !== level) {
      level = wanted
      setting = link.ask('logging/setLevel', { level: wanted }, {}).catch(() => {})
    }
    return setting
  }
}
