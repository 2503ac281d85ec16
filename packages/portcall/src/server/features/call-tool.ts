import type { CoarseTimers } from '../../../../util/src/coarse-timers.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { reportHandling } from '../../jsonrpc/handling.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { headerMismatch, INVALID_ARGUMENTS, invalidParams, unknownItem } from '../../protocol/errors.ts'
import { verifyHeaderParams } from '../../protocol/header-params.ts'
import type { CallToolResult } from '../../protocol/types.ts'
import type { CompiledSchema, Issue, ParseResult } from '../../schema/standard.ts'
import type { CallContext } from '../call.ts'
import { isContentBlock } from '../definitions.ts'
import { ElicitationDeclinedError, InputRequiredError, InvalidOutputError, ToolError, ToolTimeoutError } from '../errors.ts'
import { emitError, type OnEvent } from '../events.ts'
import type { ToolMiddleware } from '../extension.ts'
import { checkAccess } from './access.ts'
import type { ToolEntry, ToolRegistry } from './tools.ts'

export interface CallToolOptions {
  readonly tools: ToolRegistry
  readonly timers: CoarseTimers
  readonly toolTimeoutMs: number
  /** The first middleware is the outermost. */
  readonly middleware: readonly ToolMiddleware[]
  readonly onEvent: OnEvent
}

/** A call of a tool, and what the schema made of its arguments. */
interface ToolCall {
  readonly tool: ToolEntry
  readonly call: CallContext
  readonly parsed: ParseResult<unknown>
}

/**
 * Creates the handler of `tools/call`. It returns the result synchronously if nothing is asynchronous, because promises are much of what a small
 * call costs. https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export function createCallTool(options: CallToolOptions): (call: CallContext) => Promise<object> | object {
  return (call) => {
    const { name, arguments: input } = call.request.params ?? {}
    const args = input ?? {}
    if (typeof name !== 'string') throw invalidParams('name must be a string')
    if (!isObject(args)) throw invalidParams('arguments must be an object')
    const tool = options.tools.get(name)
    if (!tool) throw unknownItem('tool', name)
    if (tool.isRestricted) return callRestricted({ tool, call, args }, options)
    if (tool.headerParams.length > 0) checkHeaderParams(tool, args, call)
    const parsing = tool.input.parse(args)
    if (parsing instanceof Promise) return parsing.then((parsed) => runTool({ tool, call, parsed }, options))
    return runTool({ tool, call, parsed: parsing }, options)
  }
}

/** Calls a tool that exists only for some callers. */
async function callRestricted(
  { tool, call, args }: { tool: ToolEntry; call: CallContext; args: JsonObject },
  options: CallToolOptions,
): Promise<object> {
  if (!(await checkAccess(tool, call))) throw unknownItem('tool', tool.listing.name)
  checkHeaderParams(tool, args, call)
  return runTool({ tool, call, parsed: await tool.input.parse(args) }, options)
}

/** Compares the headers that repeat arguments with the arguments. @throws RpcError -32020 when they differ. */
function checkHeaderParams({ headerParams }: ToolEntry, args: JsonObject, { context: { readParamHeader } }: CallContext): void {
  const reason = readParamHeader && verifyHeaderParams(headerParams, args, readParamHeader)
  if (reason !== undefined) throw headerMismatch(reason)
}

function invalidArguments(issues: readonly Issue[]): CallToolResult {
  const lines = issues.map(({ path, message }) => `- ${path.length === 0 ? 'arguments' : path.join('.')}: ${message}`)
  const text = ['Invalid arguments:', ...lines].join('\n')
  return { content: [{ type: 'text', text }], isError: true, [INVALID_ARGUMENTS]: issues } as CallToolResult
}

async function runMiddleware(
  toolCall: ToolCall,
  options: CallToolOptions,
  [outermost, ...inner]: readonly ToolMiddleware[],
): Promise<object> {
  const { definition, listing } = toolCall.tool
  const next = async (): Promise<object> => runTool(toolCall, options, inner)
  return outermost ? outermost(toolCall.call, { name: listing.name, definition }, next) : next()
}

const NO_MIDDLEWARE: readonly ToolMiddleware[] = []

/** Runs the middleware and the handler of a tool. Returns the result synchronously if nothing is asynchronous. */
function runTool(
  toolCall: ToolCall,
  options: CallToolOptions,
  middleware: readonly ToolMiddleware[] = toolCall.call.isDetached ? NO_MIDDLEWARE : options.middleware,
): Promise<object> | object {
  const { tool, call, parsed } = toolCall
  if (parsed.issues) return invalidArguments(parsed.issues)
  if (middleware.length > 0) return runMiddleware(toolCall, options, middleware)
  const toFailure = (error: unknown): CallToolResult => failedResult(error, toolCall, options.onEvent)
  call.hasStarted = true
  reportHandling(call.context, 'started')
  try {
    const value = tool.handler(parsed.value as never, call) as PromiseLike<unknown> | null | undefined
    const result =
      typeof value?.then === 'function'
        ? withDeadline(value, toolCall, options).then((resolved) => toolResult(resolved, toolCall, options))
        : toolResult(value, toolCall, options)
    const finished = tool.finish ? finishResult(result, tool.finish, call) : result
    return finished instanceof Promise ? finished.catch(toFailure) : finished
  } catch (error) {
    return toFailure(error)
  }
}

function withDeadline(value: PromiseLike<unknown>, { tool, call }: ToolCall, options: CallToolOptions): Promise<unknown> {
  const timeoutMs = tool.definition.timeoutMs ?? options.toolTimeoutMs
  return new Promise((resolve, reject) => {
    const timer = options.timers.schedule(timeoutMs, () => {
      const reason = new ToolTimeoutError(timeoutMs)
      call.abort(reason)
      reject(reason)
    })
    const settle = (outcome: (value: unknown) => void) => (result: unknown) => {
      timer.cancel()
      outcome(result)
    }
    value.then(settle(resolve), settle(reject))
  })
}

/** Converts an error to a result. @throws the error if it suspends the call or is a protocol error. */
function failedResult(error: unknown, { tool, call: { context } }: ToolCall, onEvent: OnEvent): CallToolResult {
  if (error instanceof InputRequiredError || error instanceof RpcError) throw error
  if (error instanceof ToolError || error instanceof ElicitationDeclinedError || error instanceof ToolTimeoutError)
    return { content: [{ type: 'text', text: error.message }], isError: true }
  const reference = emitError(onEvent, error, { method: 'tools/call', name: tool.listing.name, context })
  return { content: [{ type: 'text', text: `The tool failed. Reference: ${reference}` }], isError: true }
}

/** Completes the result of a tool that has a view. A suspended call has none yet. */
function finishResult(
  result: CallToolResult | Promise<CallToolResult>,
  finish: NonNullable<ToolEntry['finish']>,
  call: CallContext,
): CallToolResult | Promise<CallToolResult> {
  if (result instanceof Promise) return result.then((settled) => finishResult(settled, finish, call))
  return call.isSuspended ? result : finish(result)
}

/** The result of a handler that caught its own suspension. It is not sent. */
const SUSPENDED: CallToolResult = { content: [] }

/**
 * Converts the return value of a tool to a result, synchronously unless its output schema validates asynchronously.
 *
 * @throws InvalidOutputError when the value is not convertible or does not match the output schema.
 */
function toolResult(
  value: unknown,
  { tool, call }: ToolCall,
  { onEvent }: CallToolOptions,
): CallToolResult | Promise<CallToolResult> {
  if (call.pendingInputs > 0)
    onEvent({
      type: 'warning',
      message: `The tool "${tool.listing.name}" returned before its input request: await call.elicit(…)`,
    })
  if (call.isSuspended) return SUSPENDED
  if (tool.output) return structuredResult(value, tool.output)
  if (value === undefined || value === null) return { content: [] }
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  if (Array.isArray(value) && value.every(isContentBlock)) return { content: value }
  if (isContentBlock(value)) return { content: [value] }
  if (isObject(value) && Array.isArray(value.content) && value.content.every(isContentBlock))
    return value as unknown as CallToolResult
  throw new InvalidOutputError('A tool without `output` must return a string, content blocks or a result with `content`')
}

function structuredResult(value: unknown, output: CompiledSchema): CallToolResult | Promise<CallToolResult> {
  if (isErrorResult(value)) return value
  const result = isObject(value) && 'structuredContent' in value && hasOnlyResultKeys(value) ? value : undefined
  const parsing = output.parse(result ? result.structuredContent : value)
  return parsing instanceof Promise ? parsing.then((parsed) => withContent(parsed, result)) : withContent(parsing, result)
}

/** Completes a result with structured content and, unless the result has `content`, its JSON as text. */
function withContent(parsed: ParseResult<unknown>, result: JsonObject | undefined): CallToolResult {
  if (parsed.issues)
    throw new InvalidOutputError('The structured content does not match the output schema of the tool', parsed.issues)
  const structuredContent = parsed.value
  const content: CallToolResult['content'] = [{ type: 'text', text: JSON.stringify(structuredContent) }]
  return result ? { content, ...result, structuredContent } : { content, structuredContent }
}

const RESULT_KEYS: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError', '_meta'])

function hasOnlyResultKeys(value: JsonObject): boolean {
  return Object.keys(value).every((key) => RESULT_KEYS.has(key))
}

function isErrorResult(value: unknown): value is CallToolResult {
  return isObject(value) && value.isError === true && Array.isArray(value.content) && hasOnlyResultKeys(value)
}
