import type { Exchange } from '../jsonrpc/exchange.ts'
import type { JsonObject, Notification, Response } from '../jsonrpc/message.ts'
import { createReports } from '../protocol/reports.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { ClientCapabilities, LoggingLevel, ServerCapabilities } from '../protocol/types.ts'
import { readResponse } from './client-result.ts'
import { createVisits, wantsVisits } from './client-visits.ts'
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
    async exchange(request, context) {
      const { id, method } = request
      const report = reports.enter(request.params, context.notify)
      const params = legacyParams(report.params, revision)
      const send = async (): Promise<Response> => readResponse({ id, method, params }, await link.ask(method, params, context))
      try {
        const setting = setLevel(reports.level)
        if (setting) await setting
        const response = visits.refusal(request) ?? (await send())
        return wantsVisits(method, response) ? await visits.arrange(response, { request, context, send }) : response
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

const ROUNDS = ['inputResponses', 'requestState']
const ROUNDS_AND_CONTEXT = [...ROUNDS, 'context']

/** Takes off what the revision does not have. */
function legacyParams(params: JsonObject | undefined, { completionContext }: Revision): JsonObject | undefined {
  if (!params) return undefined
  const given = without(params, completionContext || !('ref' in params) ? ROUNDS : ROUNDS_AND_CONTEXT)
  return withLegacyMeta(given)
}

/**
 * A session has one level of log messages. It follows what the open requests want, and stays while none wants any. What it gives resolves when
 * the server knows the level; there is nothing to wait for while it never had to be told.
 */
function createLevelSetter(
  link: LegacyLink,
  { logging }: ServerCapabilities,
): (wanted: LoggingLevel | undefined) => Promise<unknown> | undefined {
  let level: LoggingLevel | undefined
  let setting: Promise<unknown> | undefined

  return (wanted) => {
    if (logging && wanted && wanted !== level) {
      level = wanted
      setting = link.ask('logging/setLevel', { level: wanted }).catch(() => {})
    }
    return setting
  }
}
