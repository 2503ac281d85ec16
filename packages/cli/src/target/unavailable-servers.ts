import { KEPT_META, UNAVAILABLE_META } from 'portcall/client'
import { isObject, isSuccess, type Middleware } from 'portcall/jsonrpc'
import { CliError } from '../cli-error.ts'
import type { ExitReason } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { reportErrors } from '../report-error.ts'

/** The servers that a gateway leaves out of its lists, or whose items it has kept. */
export interface UnavailableServers {
  /** Why each server is not available, by its name. */
  readonly reasons: ReadonlyMap<string, string>
  /** When the items of a server were listed, if the gateway has kept them (ISO 8601), by its name. */
  readonly kept: ReadonlyMap<string, string>
  /** Looks at the lists of a client, and says once for each server why it is not available, unless errors are JSON. */
  readonly middleware: Middleware
}

export function createUnavailableServers({ json, log }: Pick<Io, 'json' | 'log'>): UnavailableServers {
  const reasons = new Map<string, string>()
  const kept = new Map<string, string>()
  return {
    reasons,
    kept,
    async middleware(request, context, next) {
      const response = await next(request, context)
      if (!isSuccess(response) || !isObject(response.result._meta)) return response
      const { [UNAVAILABLE_META]: unavailable, [KEPT_META]: times } = response.result._meta
      for (const [server, time] of entriesOf(times)) kept.set(server, time)
      for (const [server, reason] of entriesOf(unavailable)) {
        if (!json && !reasons.has(server)) log(describe(server, reason, kept))
        reasons.set(server, reason)
      }
      return response
    },
  }
}

/** Reports that lists are incomplete, for commands whose output is compared later. Returns the exit reason, or `undefined` if they are complete. */
export function reportIncomplete({ reasons, kept }: UnavailableServers, { json }: Pick<Io, 'json'>): ExitReason | undefined {
  if (reasons.size === 0) return undefined
  const errors = [...reasons].map(([server, reason]) => new CliError('unreachable', describe(server, reason, kept)))
  return json ? reportErrors(errors, json) : 'unreachable'
}

function describe(server: string, reason: string, kept: ReadonlyMap<string, string>): string {
  const time = kept.get(server)
  return `the server ${server} is not available: ${reason}${time === undefined ? '' : `. Its items are those of ${time}`}`
}

function entriesOf(value: unknown): [string, string][] {
  return Object.entries(isObject(value) ? value : {}).map(([server, text]) => [server, String(text)])
}
