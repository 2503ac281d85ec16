import { LazyAbort, onAbort } from '../../../../util/src/abort.ts'
import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { createNameMatcher } from '../../../../util/src/name-matcher.ts'
import { createTurns, type Turns } from '../../../../util/src/turns.ts'
import type { Middleware } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response, success } from '../../jsonrpc/message.ts'
import { markRefused } from '../../jsonrpc/refusal.ts'
import { identityOf } from '../../protocol/caller-identity.ts'
import { subrequest, subrequestContext } from '../../protocol/subrequest.ts'
import { isListedForViews, toolsForModels } from '../audience.ts'
import { argumentsOf, type MiddlewareRequest } from '../list-pages.ts'
import { listTools } from '../list-tools.ts'
import { createNameCheck, isWholeList, usedNames } from '../names-in-use.ts'
import { createToolIndex, type ToolIndex } from '../search/tool-index.ts'
import { textResult } from '../text-result.ts'
import { defineCodeTools } from './code-tools.ts'
import { declareFunctions, functionsOf, type ToolFunction } from './declarations.ts'
import type { SandboxLimits } from './sandbox.ts'

/** Limits of each program. */
export interface CodeLimits {
  /** How long it may take with the tools that it calls, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number
  /** How long it may compute, in milliseconds. Default: 2000. */
  readonly cpuTimeMs?: number
  /** How much memory it may use, in bytes. Default: 32 MiB. */
  readonly memoryBytes?: number
  /** How often it may call tools. Default: 100. */
  readonly maxCalls?: number
  /** Maximum size of what it returns, and of what it prints, in characters. The rest is cut off. Default: 65,536. */
  readonly maxOutputBytes?: number
  /** How many programs of one caller run at the same time. Further ones are refused. Default: 8. */
  readonly maxPrograms?: number
  /** How many programs of all callers run at the same time. Further ones are refused. Default: 64. */
  readonly maxTotalPrograms?: number
}

/** Options of `codeMode`. */
export interface CodeModeOptions {
  /** The tools that programs can call. Names may contain `*`. Default: all. */
  readonly tools?: readonly string[]
  /** Tools that are also listed as they are, for instance because they ask the user. Names may contain `*`. Default: none. */
  readonly always?: readonly string[]
  /** Limits of each program. */
  readonly limits?: CodeLimits
  /** Other names of the two tools. */
  readonly names?: {
    /** The tool that finds functions. Default: `find_functions`. */
    readonly find?: string
    /** The tool that runs a program. Default: `run_code`. */
    readonly run?: string
  }
  /** Where the package `quickjs-emscripten` is, as a path or URL of its main file. Default: where Node finds it. */
  readonly quickjs?: string
}

const NAMES: OptionNames<CodeModeOptions> = {
  tools: 'texts',
  always: 'texts',
  limits: 'object',
  names: 'object',
  quickjs: 'text',
}
const TOOL_NAMES: OptionNames<NonNullable<CodeModeOptions['names']>> = { find: 'text', run: 'text' }
const LIMITS = {
  timeoutMs: 60_000,
  cpuTimeMs: 2000,
  memoryBytes: 32 * 1024 * 1024,
  maxCalls: 100,
  maxOutputBytes: 65_536,
  maxPrograms: 8,
  maxTotalPrograms: 64,
}
const MAX_ARGUMENT_BYTES = 1024 * 1024
const STACK_BYTES = 256 * 1024
const MAX_CODE_LENGTH = 100_000
const MAX_QUERY_LENGTH = 1000
const FOUND = 8

/** The parts that the handlers of the two tools share. */
interface CodeMode {
  readonly options: CodeModeOptions
  readonly limits: Required<CodeLimits>
  readonly index: ToolIndex
  readonly isCallable: (name: string) => boolean
  readonly turns: Turns
}

/**
 * Creates middleware that lists two tools instead of all: one that finds tools as typed functions, and one that runs a program that calls
 * them. A model then combines many calls in one step, and only what the program returns gets into its context. Programs run in a sandbox: an
 * interpreter of its own in a thread of its own, without network, files and modules. Needs Node, and the package `quickjs-emscripten`.
 *
 * @example
 * server.use(codeMode())
 */
export function codeMode(options: CodeModeOptions = {}): Middleware {
  checkOptions('codeMode()', options, { names: NAMES })
  checkOptions('codeMode(): limits', options.limits ?? {}, { names: LIMITS, advice: { timeout: 'Use "timeoutMs"' } })
  checkOptions('codeMode(): names', options.names ?? {}, { names: TOOL_NAMES })
  const names = { find: 'find_functions', run: 'run_code', ...options.names }
  if (names.find === names.run) throw new TypeError('codeMode: names gives both tools the same name')
  const isCallable = createNameMatcher(options.tools ?? ['*'])
  const isAlwaysListed = createNameMatcher(options.always ?? [])
  const used = createNameCheck([
    ...usedNames('codeMode(): tools', options.tools ?? [], ['tool']),
    ...usedNames('codeMode(): always', options.always ?? [], ['tool']),
  ])
  const limits = { ...LIMITS, ...options.limits }
  const mode: CodeMode = {
    options,
    limits,
    index: createToolIndex(),
    isCallable,
    turns: createTurns({ limit: limits.maxTotalPrograms, maxOwned: limits.maxPrograms }),
  }
  const list = async (one: MiddlewareRequest): Promise<Response> => {
    const { tools, rest } = await listTools(one)
    if (isWholeList(rest, one.context))
      await used.check(
        'tool',
        tools.map(({ name }) => String(name)),
      )
    const models = toolsForModels(tools)
    const callable = models.filter(({ name }) => isCallable(String(name)))
    const others = tools.filter(
      (tool) => isListedForViews(tool, one.request) || (isAlwaysListed(String(tool.name)) && models.includes(tool)),
    )
    return success(one.request.id, { ...rest, tools: [...defineCodeTools(names, functionsOf(callable)), ...others] })
  }
  return async (request, context, next) => {
    const one = { request, context, next }
    if (request.method === 'tools/list') return list(one)
    const name = request.method === 'tools/call' ? request.params?.name : undefined
    if (name === names.find) return findFunctions(one, mode)
    return name === names.run ? runCode(one, mode) : next(request, context)
  }
}

async function findFunctions(one: MiddlewareRequest, { index, isCallable }: CodeMode): Promise<Response> {
  const { request } = one
  const { query } = argumentsOf(request)
  if (typeof query !== 'string') return textResult(request, 'query must be a string', true)
  const tools = toolsForModels((await listTools(one)).tools)
  const functions = functionsOf(tools.filter(({ name }) => isCallable(String(name))))
  const found = new Set(
    await index.search(
      functions.map(({ tool }) => tool),
      query.slice(0, MAX_QUERY_LENGTH),
      FOUND,
    ),
  )
  const text = declareFunctions(functions.filter(({ tool }) => found.has(tool)))
  return textResult(request, text || `None of the ${functions.length} functions matches. Try other words.`)
}

async function runCode(one: MiddlewareRequest, { options, limits, isCallable, turns }: CodeMode): Promise<Response> {
  const { request, context } = one
  const { code } = argumentsOf(request)
  if (typeof code !== 'string' || code.length > MAX_CODE_LENGTH)
    return textResult(request, `code must be a string of at most ${MAX_CODE_LENGTH} characters`, true)
  // Callers that nobody knows have one share together.
  const owner = identityOf(request, context) ?? 'unknown'
  if (turns.begin(context, owner) !== true) return refuseProgram(request)
  const program = new LazyAbort()
  const stop = onAbort(context, (reason) => program.abort(reason))
  try {
    const tools = toolsForModels((await listTools(one)).tools)
    const functions = new Map(functionsOf(tools.filter(({ name }) => isCallable(String(name)))).map((each) => [each.name, each]))
    const { runProgram } = await import('./run-program.ts')
    const { output, logs, isError } = await runProgram({
      code: withoutFence(code),
      functions: [...functions.keys()],
      limits: sandboxLimits(limits),
      timeoutMs: limits.timeoutMs,
      signal: program.signal,
      quickjs: options.quickjs,
      callTool: (name, args) => callFunction(functions.get(name), args, { ...one, program }),
    })
    return textResult(request, logs === '' ? output : `${logs}\n${output}`, isError)
  } finally {
    stop()
    // The calls that it started end with it.
    program.abort(new DOMException('The program has ended', 'AbortError'))
    turns.end(owner)
  }
}

/** Answers a request to run a program when too many run. */
function refuseProgram(request: Request): Response {
  const text = 'Too many programs are running. Try again later.'
  return markRefused(textResult(request, text, true))
}

function sandboxLimits({ cpuTimeMs, memoryBytes, maxCalls, maxOutputBytes }: Required<CodeLimits>): SandboxLimits {
  return { cpuTimeMs, memoryBytes, maxCalls, maxOutputBytes, maxArgumentBytes: MAX_ARGUMENT_BYTES, stackBytes: STACK_BYTES }
}

/** Models often put code in a Markdown fence. */
function withoutFence(code: string): string {
  return /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(code)?.[1] ?? code
}

/** Calls a tool for a program. Returns its structured content, or its text. */
async function callFunction(
  fn: ToolFunction | undefined,
  args: string,
  { request, context, next, program }: MiddlewareRequest & { readonly program: LazyAbort },
): Promise<string> {
  if (!fn) throw new Error('There is no such tool')
  const params = { name: fn.tool.name, arguments: JSON.parse(args) as unknown }
  // Each call has a signal of its own, because Node warns about signals with many listeners.
  const abort = new LazyAbort()
  const stop = program.onAbort((reason) => abort.abort(reason))
  const own = subrequestContext(context, { signal: abort.signal, onAbort: abort.onAbort.bind(abort) })
  const response = await next(subrequest(request, 'tools/call', params), own).finally(stop)
  if (!isSuccess(response)) throw new Error(response.error.message)
  const { result } = response
  if (result.resultType === 'input_required')
    throw new Error(`${fn.name} asks the user, which programs cannot do. Call the tool directly`)
  const text = textOf(result)
  if (result.isError === true) throw new Error(text)
  return JSON.stringify(result.structuredContent ?? text)
}

function textOf({ content }: JsonObject): string {
  const blocks: unknown[] = Array.isArray(content) ? content : []
  return blocks
    .filter(isObject)
    .map(({ type, text, mimeType }) => (typeof text === 'string' ? text : `[${String(type)} ${String(mimeType ?? '')}]`))
    .join('\n')
}
