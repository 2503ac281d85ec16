import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { sha256 } from '../../../../util/src/digest.ts'
import { cutText } from '../../../../util/src/printable.ts'
import type { ExchangeContext, Middleware } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response } from '../../jsonrpc/message.ts'
import { type AuditSink, createAuditTrail } from './trail.ts'

/** Options of `auditLog`. */
export interface AuditLogOptions {
  /**
   * Where the records are stored: the path of a file (Node.js, Bun and Deno), a store (`createStoredAuditLog`), or a sink of your own. Several
   * processes may write to the same file or store.
   */
  readonly to: string | AuditSink
  /** The methods that are recorded. Default: calls, reads and prompts. */
  readonly methods?: readonly string[]
  /**
   * Returns what is recorded of the arguments, such as a copy without secrets. Default: nothing but their hash, which shows whether two calls
   * had the same arguments. Of arguments whose JSON text has more than 65,536 characters, the beginning of this text is recorded.
   */
  readonly arguments?: (args: unknown, request: Request) => unknown
  /** Returns further members of the record, such as the size of the response. There is no response if the request was aborted. */
  readonly details?: (request: Request, response: Response | undefined) => JsonObject
  /** Removes secrets from everything that is recorded, except the hash of the arguments: `redactSecrets()`. Default: nothing is removed. */
  readonly redact?: (value: unknown) => unknown
  /**
   * The effect of a record that cannot be stored, for example because the disk is full: the response becomes an error, or the error goes to
   * `onError`. Default: `refuse`.
   */
  readonly onFailure?: 'refuse' | 'continue'
  /** Receives the error of a record that could not be stored. Default: it is written to stderr. */
  readonly onError?: (error: unknown) => void
}

/** The members whose values callers and servers choose. */
const NAME_MEMBERS: ReadonlySet<string> = new Set(['method', 'target', 'server', 'item', 'outcome', 'traceparent', 'traceId'])
/** The length of such names, in characters. */
const MAX_TEXT_LENGTH = 256
/** Length of the JSON text of recorded arguments, in characters. */
const MAX_ARGUMENTS_LENGTH = 65_536
const DEFAULT_METHODS = ['tools/call', 'resources/read', 'prompts/get'] as const

const NAMES: OptionNames<AuditLogOptions> = {
  to: 1,
  methods: 'texts',
  arguments: 'function',
  details: 'function',
  redact: 'function',
  onFailure: ['refuse', 'continue'],
  onError: 1,
}
const ADVICE = { file: 'Use "to"', path: 'Use "to"', store: 'Pass to: createStoredAuditLog(store)' }
const REQUIRED = { to: 'Pass the path of a file, or where records are written' }

/**
 * Creates middleware that records who called what, when, and with which outcome, in a log whose records form a hash chain. Verify a log with
 * `verifyAuditLog` or `portcall audit verify`. Place it first, so that it also records what other middleware refuses.
 */
export function auditLog(options: AuditLogOptions): Middleware {
  checkOptions('auditLog()', options, { names: NAMES, advice: ADVICE, required: REQUIRED })
  const { to, methods = DEFAULT_METHODS, details, redact = unchanged, onFailure = 'refuse', onError = logError } = options
  const trail = createAuditTrail(typeof to === 'string' ? openFile(to) : to)
  const recorded = new Set<string>(methods)
  return async (request, context, next) => {
    if (!recorded.has(request.method)) return next(request, context)
    const startedAt = performance.now()
    const head = await describeRequest(request, context, options)
    const append = (outcome: JsonObject, response?: Response): Promise<void> => {
      const durationMs = Math.round(performance.now() - startedAt)
      const all: JsonObject = { ...head, ...outcome, durationMs, ...details?.(request, response) }
      const { time, argumentsHash, ...record } = all
      const { arguments: args, ...redacted } = redact(cutNames(record)) as JsonObject
      return trail.append({
        time,
        ...redacted,
        ...(args !== undefined && { arguments: cutArguments(args) }),
        ...(argumentsHash !== undefined && { argumentsHash }),
      })
    }
    const settle = async (outcome: JsonObject, response?: Response): Promise<void> => {
      await append(outcome, response).catch((error: unknown) => {
        onError(error)
        if (onFailure === 'refuse') throw error
      })
    }
    let response: Response
    try {
      response = await next(request, context)
    } catch (error) {
      await settle({ outcome: 'aborted' })
      throw error
    }
    await settle(outcomeOf(response), response)
    return response
  }
}

/** Loads the file system only when a file is used, since not every runtime has one. */
function openFile(path: string): AuditSink {
  const sink = import('./file.ts').then(({ createFileSink }) => createFileSink(path))
  return { append: async (lines) => (await sink).append(lines), last: async () => (await sink).last() }
}

async function describeRequest(request: Request, { auth }: ExchangeContext, options: AuditLogOptions): Promise<JsonObject> {
  const { method, params = {} } = request
  const { name, uri, arguments: args } = params
  const meta = isObject(params._meta) ? params._meta : {}
  const target = name ?? uri
  const recordedArgs = options.arguments?.(args, request)
  return {
    time: new Date().toISOString(),
    ...(auth && { principal: auth.principal }),
    method,
    ...(typeof target === 'string' && { target }),
    ...(args !== undefined && { argumentsHash: await sha256(JSON.stringify(args)) }),
    ...(recordedArgs !== undefined && { arguments: recordedArgs }),
    ...(typeof meta.traceparent === 'string' && { traceparent: meta.traceparent }),
  }
}

function outcomeOf(response: Response): JsonObject {
  if (!isSuccess(response)) return { outcome: 'error', code: response.error.code }
  const { resultType, isError } = response.result
  if (typeof resultType === 'string' && resultType !== 'complete') return { outcome: resultType }
  return { outcome: isError === true ? 'failed' : 'ok' }
}

/** Cuts what callers and servers name. */
function cutNames(record: JsonObject): JsonObject {
  const entries = Object.entries(record).map(([key, value]) =>
    NAME_MEMBERS.has(key) && typeof value === 'string' ? [key, cutText(value, MAX_TEXT_LENGTH)] : [key, value],
  )
  return Object.fromEntries(entries) as JsonObject
}

/** Arguments that are too long are recorded as the beginning of their JSON text. */
function cutArguments(args: unknown): unknown {
  const text = JSON.stringify(args) ?? ''
  return text.length <= MAX_ARGUMENTS_LENGTH ? args : cutText(text, MAX_ARGUMENTS_LENGTH)
}

function unchanged(value: unknown): unknown {
  return value
}

function logError(error: unknown): void {
  console.error('[portcall] The audit log cannot be written:', error)
}
