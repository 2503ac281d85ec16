import { explainFor } from '../../util/src/advice.ts'
import { errorMessage } from '../../util/src/errors.ts'
import { sanitizeLine } from '../../util/src/printable.ts'
import { CliError } from './cli-error.ts'
import { EXIT_CODES, type ExitReason } from './exit-codes.ts'

/** The report of an error. */
interface ErrorReport {
  readonly exitReason: ExitReason
  readonly code: string | number
  readonly message: string
  readonly hint?: string | undefined
  /** The `data` of a JSON-RPC error. */
  readonly data?: unknown
}

/** The exit reasons of the library's error codes. */
const EXIT_REASONS: { readonly [code: string]: ExitReason } = {
  CONNECTION_LOST: 'unreachable',
  INVALID_RESPONSE: 'unreachable',
  HTTP_STATUS: 'unreachable',
  SESSION_EXPIRED: 'unreachable',
  NEGOTIATION_FAILED: 'unreachable',
  SPAWN_FAILED: 'unreachable',
  CLIENT_CLOSED: 'unreachable',
  TIMEOUT: 'timeout',
  AUTH_FAILED: 'unauthorized',
  INVALID_RESULT: 'rejected',
  INPUT_HANDLER_FAILED: 'input_required',
  TASK_CANCELLED: 'rejected',
  EXTENSION_UNSUPPORTED: 'rejected',
  EVENT_SUBSCRIPTION_FAILED: 'rejected',
  INVALID_CONFIG: 'usage',
  PLAYWRIGHT_MISSING: 'usage',
  BROWSER_MISSING: 'usage',
}

/** The errors that the user has been told. */
const reported = new WeakSet<object>()

/** Records that the user has been told of an error. */
export function markReported(error: unknown): void {
  if (typeof error === 'object' && error !== null) reported.add(error)
}

/** Reports whether the user has been told of an error. */
export function isReported(error: Error): boolean {
  return reported.has(error)
}

const MAX_MESSAGE_LINES = 100
const METHOD_NOT_FOUND = -32601
const FEATURES: ReadonlySet<string> = new Set(['tools', 'resources', 'prompts'])
const MISSING_CLIENT_CAPABILITY = -32021

/** Returns the advice about a capability that the server requires and the command did not declare. */
function capabilityHint(data: unknown): string | undefined {
  const { requiredCapabilities: required } = (data ?? {}) as { requiredCapabilities?: { [name: string]: { url?: object } } }
  if (required?.elicitation?.url)
    return 'the server asks to open a URL: run the command in a terminal, without --answer and --no-input'
  if (required?.elicitation) return 'run the command in a terminal, or use --answer FIELD=VALUE'
  if (required?.roots) return 'add a directory with --root DIR'
  if (required?.sampling) return 'the server needs a language model, which this command does not have'
  return undefined
}

/**
 * Writes an error to stderr: as JSON, or as a line of text that says what is wrong and what to do. Details, such as the output of a program
 * that exited, follow on further lines. Returns the exit reason.
 */
export function reportError(error: unknown, isJson: boolean): ExitReason {
  markReported(error)
  const { exitReason, code, message, hint, data } = describeError(error)
  const lines = message.split('\n')
  const [title = '', ...rest] = lines.length > 2 ? lines : [lines.join(' ')]
  const details = error instanceof CliError ? error.details : []
  const line = isJson
    ? JSON.stringify({
        error: {
          code,
          message: [message, ...details].join('\n'),
          ...(hint !== undefined && { hint }),
          ...(data !== undefined && { data }),
          exit: EXIT_CODES[exitReason],
        },
      })
    : sanitizeLine(`portcall: ${title}${hint === undefined ? '' : ` (${hint})`}`)
  process.stderr.write(
    [line, ...(isJson ? [] : [...shownLines(rest), ...details].map((text) => sanitizeLine(text)))]
      .map((text) => `${text}\n`)
      .join(''),
  )
  return exitReason
}

/** Programs and servers write the further lines of a message. A line that looks like a message of this program is indented. */
function shownLines(lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_MESSAGE_LINES).map((line) => (/^\s*portcall\b/.test(line) ? `  ${line}` : line))
  return lines.length > shown.length ? [...shown, `… ${lines.length - shown.length} more lines`] : shown
}

/** Does the same with several errors, once for each message. Returns the exit reason of the first, or `undefined` if there is none. */
export function reportErrors(errors: readonly unknown[], isJson: boolean): ExitReason | undefined {
  const distinct = new Map(errors.map((error) => [errorMessage(error), error]))
  const [first] = [...distinct.values()].map((error) => reportError(error, isJson))
  return first
}

function describeError(error: unknown): ErrorReport {
  if (!(error instanceof Error)) return { exitReason: 'internal', code: 'INTERNAL', message: String(error) }
  const { message } = error
  if (error instanceof CliError) return { exitReason: error.exitReason, code: error.code, message, hint: error.hint }
  const { code } = error as { code?: unknown }
  if (typeof code === 'number') return describeRpcError(error, code)
  const exitReason = typeof code === 'string' && Object.hasOwn(EXIT_REASONS, code) ? EXIT_REASONS[code] : undefined
  if (!exitReason) return { exitReason: 'internal', code: 'INTERNAL', message: error.stack ?? message }
  const { status } = error as { status?: unknown }
  const { message: text, hint } = explainFor(error, 'command')
  return {
    exitReason: status === 401 || status === 403 ? 'unauthorized' : exitReason,
    code: code as string,
    message: withStderr(text, error),
    hint,
  }
}

function describeRpcError(error: Error, code: number): ErrorReport {
  const { data, method } = error as { data?: unknown; method?: unknown }
  const report = {
    code,
    message: `${errorMessage(error)}${unnamedUri(error, data)} (${code})`,
    ...(data !== undefined && { data }),
  }
  if (code === MISSING_CLIENT_CAPABILITY) return { ...report, exitReason: 'input_required', hint: capabilityHint(data) }
  const feature = String(method).split('/', 1)[0] ?? ''
  const missing = code === METHOD_NOT_FOUND && FEATURES.has(feature) ? feature : undefined
  return { ...report, exitReason: 'rejected', ...(missing !== undefined && { hint: `the server has no ${missing}` }) }
}

/** Returns the URI that an error is about, if its message does not name it. */
function unnamedUri({ message }: Error, data: unknown): string {
  const { uri } = (data ?? {}) as { uri?: unknown }
  return typeof uri === 'string' && !message.includes(uri) ? `: ${uri}` : ''
}

/** Appends the last line that a process wrote to stderr, which usually explains why it exited. */
function withStderr(message: string, error: Error): string {
  const { exit } = error as { exit?: { stderr?: string } }
  const lastLine = exit?.stderr?.trim().split('\n').at(-1)
  return lastLine && !message.includes(lastLine) ? `${message}: ${lastLine}` : message
}
