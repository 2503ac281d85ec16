import type { Ending } from './exit.ts'
import { Stop } from './stop.ts'

/** An error as the command tells it. */
export interface Failure {
  readonly ending: Ending
  readonly code: string | number
  readonly message: string
  readonly hint?: string | undefined
  /** What the server sent along. */
  readonly data?: unknown
}

interface Known {
  readonly ending: Ending
  readonly hint?: string
}

/** The codes of the errors that the library throws. */
const CODES: { readonly [code: string]: Known } = {
  CONNECTION_LOST: { ending: 'unreachable', hint: '--verbose shows what happened' },
  UNREADABLE_ANSWER: { ending: 'unreachable', hint: 'is it an MCP server?' },
  HTTP_STATUS: { ending: 'unreachable', hint: 'is it the URL of an MCP server?' },
  SESSION_LOST: { ending: 'unreachable', hint: 'try again' },
  NEGOTIATION_FAILED: { ending: 'unreachable' },
  SPAWN_FAILED: { ending: 'unreachable' },
  CONNECTION_CLOSED: { ending: 'unreachable' },
  TIMEOUT: { ending: 'late', hint: 'allow more time with --timeout SECONDS' },
  AUTH_FAILED: { ending: 'unauthorized' },
  INVALID_RESULT: { ending: 'refused', hint: 'the server breaks the protocol' },
  UNANSWERED_INPUT: { ending: 'unanswered', hint: 'run it in a terminal, or answer with --answer FIELD=VALUE' },
  TASK_CANCELLED: { ending: 'refused' },
  INVALID_CONFIG: { ending: 'usage' },
}

const CANNOT_ASK = -32021

/** Makes of whatever was thrown what is told, and how the command ends. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { ending: 'broken', code: 'BROKEN', message: String(error) }
  const { message } = error
  if (error instanceof Stop) return { ending: error.ending, code: error.code, message, hint: error.hint }
  const { code } = error as { code?: unknown }
  if (typeof code === 'number') return refusal(error, code)
  const known = typeof code === 'string' && Object.hasOwn(CODES, code) ? CODES[code] : undefined
  if (!known) return { ending: 'broken', code: 'BROKEN', message: error.stack ?? message }
  const { status } = error as { status?: unknown }
  if (status === 401 || status === 403)
    return { ending: 'unauthorized', code: 'HTTP_STATUS', message, hint: 'portcall login URL signs you in' }
  return { ...known, code: code as string, message: withExit(message, error) }
}

/** Does what the exception of the server's answer says. */
function refusal(error: Error, code: number): Failure {
  const { data } = error as { data?: unknown }
  const told = { code, message: `${error.message} (${code})`, ...(data !== undefined && { data }) }
  if (code === CANNOT_ASK) return { ...told, ending: 'unanswered', hint: CODES.UNANSWERED_INPUT?.hint }
  return { ...told, ending: 'refused' }
}

/** What a program said last belongs to the reason why it ended. */
function withExit(message: string, error: Error): string {
  const { exit } = error as { exit?: { stderr?: string } }
  const last = exit?.stderr?.trim().split('\n').at(-1)
  return last && !message.includes(last) ? `${message}: ${last}` : message
}
