import type { GatewayEvent } from 'portcall/gateway'
import { explainFor } from '../../../util/src/advice.ts'
import { errorMessage } from '../../../util/src/errors.ts'
import { sanitizeLine, shortenMessage } from '../../../util/src/printable.ts'
import type { Io } from '../io.ts'
import type { VariableMask } from './variable-mask.ts'

/** The events of one server since the gateway started. */
export interface ServerActivity {
  calls: number
  errors: number
  /** How often the server was started or connected again. */
  restarts: number
}

/** Counts and logs the events of a gateway. */
export interface Activity {
  readonly onEvent: (event: GatewayEvent) => void
  of(server: string): ServerActivity
  /** Sets the function that is called when a server was connected, or is available again. */
  onReady(listener: (server: string) => void): void
  /** Counts a restart that was asked for. */
  restarted(server: string): void
  /** Forgets servers that no longer exist. */
  keep(servers: readonly string[]): void
}

const FAILED: ReadonlySet<string> = new Set(['error', 'unavailable'])

/** How a gateway logs. */
export interface ActivityOptions extends Pick<Io, 'log'> {
  /** Also logs warnings, and what servers write to stderr. */
  readonly isVerbose: boolean
  /** Removes what must not be logged from texts of errors and servers. Default: nothing. */
  readonly hide?: VariableMask['hide']
}

/** Logs what an operator has to know to stderr. */
export function createActivity({ log, isVerbose, hide = (text) => text }: ActivityOptions): Activity {
  const servers = new Map<string, ServerActivity>()
  const failing = new Set<string>()
  const connected = new Set<string>()
  const refused = new Set<string>()
  /** Servers whose loss was counted as a restart. */
  const lost = new Set<string>()
  let notifyReady: (server: string) => void = () => {}
  const of = (server: string): ServerActivity => {
    const known = servers.get(server) ?? { calls: 0, errors: 0, restarts: 0 }
    servers.set(server, known)
    return known
  }
  const describeCause = (error: unknown): string => sanitizeLine(shortenMessage(hide(errorMessage(error)), MAX_ERROR_LENGTH))
  const onUpstream = ({ server, state, error, nextAttemptAt }: Extract<GatewayEvent, { type: 'upstream' }>): void => {
    if (state === 'ready') {
      if (!lost.delete(server) && connected.has(server)) of(server).restarts += 1
      connected.add(server)
      if (failing.delete(server)) log(`${server}: available again`)
      else log(`${server}: connected`)
      notifyReady(server)
    }
    if (state === 'idle' && error !== undefined && !refused.has(server)) {
      refused.add(server)
      log(`${server}: ${describeCause(error)}${hide(adviceOn(error))}`)
    }
    if (state !== 'failing' || failing.has(server)) return
    failing.add(server)
    const seconds = nextAttemptAt === undefined ? undefined : Math.max(1, Math.round((nextAttemptAt - Date.now()) / 1000))
    log(`${server}: not available: ${describeCause(error)}${seconds === undefined ? '' : `; next attempt in ${seconds} s`}`)
  }
  const handlers: { readonly [type in GatewayEvent['type']]: (event: Extract<GatewayEvent, { type: type }>) => void } = {
    upstream: onUpstream,
    disconnected({ server, error }) {
      of(server).restarts += 1
      lost.add(server)
      log(`${server}: lost: ${describeCause(error)}; the next request starts it again`)
    },
    call({ server, outcome }) {
      if (server === undefined) return
      of(server).calls += 1
      if (FAILED.has(outcome)) of(server).errors += 1
    },
    'item-dropped': ({ server, kind, name, reason }) => log(`${server}: the ${kind} ${name} is left out: ${reason}`),
    stderr({ server, text }) {
      if (isVerbose) for (const line of linesOf(hide(text))) log(`[${server}] ${line}`)
    },
    warning({ server, message }) {
      if (isVerbose) log(`${server === undefined ? '' : `${server}: `}${hide(message)}`)
    },
    error({ error, reference }) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
      for (const line of linesOf(hide(text))) log(`error ${reference}: ${line}`)
    },
  }
  return {
    onEvent: (event) => (handlers[event.type] as (event: GatewayEvent) => void)(event),
    of,
    onReady(listener) {
      notifyReady = listener
    },
    restarted(server) {
      of(server).restarts += 1
      connected.delete(server)
    },
    keep(names) {
      for (const name of servers.keys()) if (!names.includes(name)) servers.delete(name)
    },
  }
}

/** Returns what to do about a server that refuses the caller, or a program that serves nothing, behind a semicolon. */
function adviceOn(error: unknown): string {
  const hint = error instanceof Error ? explainFor(error, 'gateway').hint : undefined
  return hint === undefined ? '' : `; ${hint}`
}

const MAX_ERROR_LENGTH = 500
const MAX_LINES = 50

/** Returns the lines of a text. Each is logged with who wrote it, so that no line passes for somebody else's. */
function linesOf(text: string): string[] {
  const lines = text.trimEnd().split('\n')
  return lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), `… ${lines.length - MAX_LINES} more lines`] : lines
}
