import type { Deadlines } from '../jsonrpc/deadlines.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { headerMismatch, INVALID_ARGUMENTS, invalidParams } from '../protocol/errors.ts'
import { type HeaderParam, readHeaderParams, verifyHeaderParams } from '../protocol/header-params.ts'
import type { CallToolResult, Tool } from '../protocol/types.ts'
import { compileSchema } from '../schema/compile.ts'
import type { CompiledSchema, Issue, Schema } from '../schema/standard.ts'
import type { AroundTool } from './around.ts'
import type { CallContext } from './call.ts'
import type { ToolDefinition, ToolHandler } from './define.ts'
import { Declined, InputRequired, ToolError, ToolTimeout } from './errors.ts'
import { type OnEvent, reportError } from './events.ts'
import { isVisible, type Listed } from './lists.ts'
import { text, toolResult } from './output.ts'
import type { Registry } from './registry.ts'
import { demandScopes } from './scopes.ts'

export type AnyToolDefinition = ToolDefinition<Schema | undefined, Schema | undefined>
export type AnyToolHandler = ToolHandler<Schema | undefined, undefined>

/** A tool, ready to be called. */
export interface ToolEntry extends Listed<AnyToolDefinition> {
  readonly wire: Tool
  readonly handler: AnyToolHandler
  readonly input: CompiledSchema | undefined
  readonly output: CompiledSchema | undefined
  readonly headerParams: readonly HeaderParam[]
}

export type ToolRegistry = Registry<AnyToolDefinition, ToolEntry>

/** Compiles a tool. @throws SchemaError when one of its schemas cannot be used. */
export function createTool(name: string, definition: AnyToolDefinition, handler: AnyToolHandler): ToolEntry {
  if (name === '') throw new Error('A tool needs a name')
  const { title, description, icons, annotations, _meta } = definition
  const input = definition.input && compileSchema(definition.input, 'input')
  const output = definition.output && compileSchema(definition.output, 'output')
  const inputSchema = input ? rootedInObject(input.json, name) : { type: 'object', additionalProperties: false }
  const fields = { title, description, inputSchema, outputSchema: output?.json, annotations, icons, _meta }
  const wire = { name, ...present(fields) } as Tool
  return { definition, handler, wire, input, output, headerParams: readHeaderParams(inputSchema), enabled: true, order: 0 }
}

function rootedInObject(schema: JsonObject, name: string): JsonObject {
  if (schema.type === 'object') return schema
  if (schema.type === undefined) return { type: 'object', ...schema }
  throw new Error(
    `The input schema of the tool ${JSON.stringify(name)} has to describe an object, not ${JSON.stringify(schema.type)}`,
  )
}

/** The members that are there. */
export function present(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

export interface CallToolOptions {
  readonly tools: ToolRegistry
  readonly deadlines: Deadlines
  readonly toolTimeoutMs: number
  /** What extensions have put around each call, the outermost first. */
  readonly around: readonly AroundTool[]
  readonly onEvent: OnEvent
}

/** Makes the handler of `tools/call`. */
export function createCallTool(options: CallToolOptions): (call: CallContext) => Promise<object> {
  return async (call) => {
    const { name, arguments: given } = call.request.params ?? {}
    if (typeof name !== 'string') throw invalidParams('name has to be a string')
    const args = given ?? {}
    if (!isObject(args)) throw invalidParams('arguments has to be an object')
    const tool = options.tools.get(name)
    if (!tool || !(await isVisible(tool, call))) throw invalidParams(`Unknown tool: ${name.slice(0, 128)}`)
    if (tool.definition.scopes) demandScopes([tool], call)
    verifyMirrored(tool, args, call)
    const parsing = tool.input ? tool.input.parse(args) : noArguments(args)
    const parsed = parsing instanceof Promise ? await parsing : parsing
    if (parsed.issues) return invalidArguments(parsed.issues)
    const running: Run = { tool, args: parsed.value, call }
    const isInside = options.around.length > 0 && !call.detached
    // Engines take three turns to hand a promise on, and one to wait for it.
    return await (isInside ? runInside(options.around, running, options) : run(running, options))
  }
}

/** One call of one tool, its arguments checked. */
interface Run {
  readonly tool: ToolEntry
  readonly args: unknown
  readonly call: CallContext
}

function verifyMirrored({ headerParams }: ToolEntry, args: JsonObject, { context }: CallContext): void {
  const mirror = headerParams.length > 0 ? context.mirror : undefined
  const reason = mirror && verifyHeaderParams(headerParams, args, mirror)
  if (reason !== undefined) throw headerMismatch(reason)
}

function noArguments(args: JsonObject): { value: JsonObject; issues?: undefined } | { issues: Issue[] } {
  const [first] = Object.keys(args)
  return first === undefined ? { value: args } : { issues: [{ path: [first], message: 'this tool takes no arguments' }] }
}

function invalidArguments(issues: readonly Issue[]): CallToolResult {
  const faults = issues.map(({ path, message }) => `- ${path.length === 0 ? 'arguments' : path.join('.')}: ${message}`)
  const content = [text(['Invalid arguments:', ...faults].join('\n'))]
  return { content, isError: true, [INVALID_ARGUMENTS]: issues } as CallToolResult
}

/** Runs a tool inside of what extensions have put around it. */
async function runInside([around, ...inner]: readonly AroundTool[], running: Run, options: CallToolOptions): Promise<object> {
  if (!around) return run(running, options)
  const { definition, wire } = running.tool
  const next = (): Promise<object> => runInside(inner, running, options)
  return around(running.call, { name: wire.name, definition }, next)
}

/** Runs a handler; the result is there at once when the handler's is. */
function run(running: Run, options: CallToolOptions): CallToolResult | Promise<CallToolResult> {
  const { tool, args, call } = running
  const fail = (error: unknown): CallToolResult => failed(error, tool, options.onEvent)
  try {
    const value = tool.handler(args as never, call) as PromiseLike<unknown> | null | undefined
    const result =
      typeof value?.then === 'function'
        ? withDeadline(value, running, options).then((late) => resultOf(late, running))
        : resultOf(value, running)
    return result instanceof Promise ? result.catch(fail) : result
  } catch (error) {
    return fail(error)
  }
}

function resultOf(value: unknown, { tool, call }: Run): CallToolResult | Promise<CallToolResult> {
  return call.waits ? NOT_YET : toolResult(value, tool.output)
}

/** Stands for the result of a handler that caught its own suspension: nobody sees it. */
const NOT_YET: CallToolResult = { content: [] }

function withDeadline(value: PromiseLike<unknown>, { tool, call }: Run, options: CallToolOptions): Promise<unknown> {
  const timeoutMs = tool.definition.timeoutMs ?? options.toolTimeoutMs
  return new Promise((resolve, reject) => {
    const place = options.deadlines.watch(timeoutMs, () => {
      const reason = new ToolTimeout(timeoutMs)
      call.expire(reason)
      reject(reason)
    })
    const settle = (outcome: (value: unknown) => void) => (result: unknown) => {
      place.leave()
      outcome(result)
    }
    value.then(settle(resolve), settle(reject))
  })
}

/** @throws what was thrown, when it is no result: a question, an error of the protocol. */
function failed(error: unknown, { wire: { name } }: ToolEntry, onEvent: OnEvent): CallToolResult {
  if (error instanceof InputRequired || error instanceof RpcError) throw error
  if (error instanceof ToolError || error instanceof Declined || error instanceof ToolTimeout)
    return { content: [text(error.message)], isError: true }
  const reference = reportError(onEvent, error, { method: 'tools/call', name })
  return { content: [text(`The tool failed. Reference: ${reference}`)], isError: true }
}
