/**
 * Advice on errors, by situation and reader. Errors carry facts: their code, URL, status or exit, and the situation that `connect` recognized.
 * Whoever shows an error takes the words from here.
 */
import { type ErrorAdvice, errorMessage } from './errors.ts'

/** Who reads an advice: the author of a program, a user of the command, who runs a gateway, or a user of the inspector's page. */
export type AdviceReader = 'program' | 'command' | 'gateway' | 'page'

/** The members of errors that tell situations. */
interface ErrorFacts {
  readonly code?: unknown
  readonly status?: unknown
  readonly url?: unknown
  readonly exit?: { readonly code?: unknown; readonly stderr?: string; readonly strayOutput?: string }
  readonly cause?: { readonly data?: { readonly issues?: unknown } }
  readonly advice?: ErrorAdvice
}

type Words = string | ((facts: ErrorFacts) => string)

const signIn: { readonly [reader in AdviceReader]?: Words } = {
  command: ({ url = 'URL' }) => `sign in with portcall login ${url}, or pass a token with --header "Authorization: Bearer TOKEN"`,
  gateway: ({ url = 'URL' }) => `sign in with portcall login ${url}, or configure its headers or auth`,
  page: 'Sign in, or add an Authorization header in the settings.',
}

const SERVE = 'does it serve? A module that only exports a server needs portcall serve FILE --stdio'

const ADVICE: { readonly [situation: string]: { readonly [reader in AdviceReader]?: Words } } = {
  'token-missing': {
    ...signIn,
    program: 'Pass a token: connect(url, { auth: bearerToken(() => token) }), with bearerToken from portcall/auth/client',
  },
  'token-refused': { ...signIn, program: 'The server refused the token that auth sent' },
  'program-ended': {
    command: SERVE,
    gateway: SERVE,
    page: 'Run the doctor: it finds the step that fails.',
  },
  'input-mismatch': { command: 'correct or add --answer FIELD=VALUE' },
  timeout: { command: 'allow more time with --timeout SECONDS', page: 'Raise the timeout, or look at stderr.' },
  // The message contains the output.
  'program-printed': { command: '', page: 'Run the doctor: it finds the step that fails.' },
  'stray-output': { command: '', page: '' },
  CONNECTION_LOST: { command: 'use --verbose for details', page: 'Run the doctor: it finds the step that fails.' },
  INVALID_RESPONSE: { command: 'is it an MCP server?', page: 'Is it an MCP server? The timeline shows what it sent.' },
  'too-many-requests': {
    program: 'The server limits how many requests it takes: try again later',
    command: 'the server limits how many requests it takes: try again later',
    page: 'The server limits how many requests it takes. Try again later.',
  },
  'server-unavailable': {
    program: 'Try again later, or look for the reason in the log of the server',
    command: 'try again later, or look for the reason in the log of the server',
    page: 'Try again later, or look for the reason in the log of the server.',
  },
  'refused-by-proxy': {
    program: 'A proxy or firewall in front of the server refused the request',
    command: 'a proxy or firewall in front of the server refused the request; portcall doctor says more',
    page: 'A proxy or firewall in front of the server refused the request. Run the doctor.',
  },
  HTTP_STATUS: { command: 'is it the URL of an MCP server?', page: 'Check the path: most servers are at /mcp.' },
  SESSION_EXPIRED: { command: 'try again' },
  NEGOTIATION_FAILED: { page: 'Choose automatic, or one of the versions that the server names.' },
  SPAWN_FAILED: { page: 'Check the command and its path.' },
  TIMEOUT: { command: 'allow more time with --timeout SECONDS', page: 'Raise the timeout, or look at stderr.' },
  INVALID_RESULT: { command: 'the server violates the protocol' },
  INPUT_HANDLER_FAILED: { command: 'run the command in a terminal, or use --answer FIELD=VALUE' },
}

/** Returns the advice in a situation; an empty text if there is none for this reader. */
export function adviceIn(situation: string, reader: AdviceReader, facts: { readonly url?: string } = {}): string {
  const words = wordsFor(situation, reader) ?? ''
  return typeof words === 'string' ? words : words(facts)
}

function wordsFor(situation: string, reader: AdviceReader): Words | undefined {
  return Object.hasOwn(ADVICE, situation) ? ADVICE[situation]?.[reader] : undefined
}

/** An error as a reader sees it. */
export interface ExplainedError {
  readonly message: string
  /** The advice, if it is not a part of the message. */
  readonly hint: string | undefined
}

/** Returns the message of an error for a reader, and advice in the reader's terms. An empty text in the table means that there is none. */
export function explainFor(error: Error, reader: AdviceReader): ExplainedError {
  const facts = error as ErrorFacts
  const { advice } = facts
  const words = wordsFor(situationOf(error), reader)
  const reason = advice?.reason ?? errorMessage(error)
  if (words !== undefined) return { message: reason, hint: (typeof words === 'string' ? words : words(facts)) || undefined }
  return advice && reader === 'page' ? { message: reason, hint: advice.text } : { message: errorMessage(error), hint: undefined }
}

/** Returns the situation that an error was recognized as, or that its facts tell; the code of the error if there is none. */
export function situationOf(error: unknown): string {
  const { code, status, exit, cause, advice } = (error ?? {}) as ErrorFacts
  if (advice) return advice.situation
  if (status === 401 || status === 403) return 'token-missing'
  if (status === 429) return 'too-many-requests'
  if (typeof status === 'number' && status >= 500) return 'server-unavailable'
  if (exit?.strayOutput !== undefined || exit?.stderr) return 'program-printed'
  if (exit?.code === 0) return 'program-ended'
  return code === 'INPUT_HANDLER_FAILED' && cause?.data?.issues !== undefined ? 'input-mismatch' : String(code)
}
