/**
 * The code that runs in the worker thread of a program. The worker gets the text of these functions, because a bundle has no file for it: they must not
 * use anything but each other, their parameters and what is global in Node.
 */
import type { MessagePort } from 'node:worker_threads'

/** The limits of a program. */
export interface SandboxLimits {
  /** How long the program may compute, in milliseconds. Waiting for tools does not count. */
  readonly cpuTimeMs: number
  readonly memoryBytes: number
  readonly stackBytes: number
  readonly maxCalls: number
  readonly maxArgumentBytes: number
  readonly maxOutputBytes: number
}

/** The data with which the worker starts. */
export interface SandboxData {
  readonly code: string
  /** The names of the functions. */
  readonly functions: readonly string[]
  readonly limits: SandboxLimits
}

/** A message of the worker. */
export type SandboxMessage =
  | { readonly type: 'running' | 'waiting' }
  | { readonly type: 'call'; readonly id: number; readonly name: string; readonly args: string }
  | { readonly type: 'end'; readonly output: string; readonly logs: string; readonly isError: boolean }

/** The response to a call: JSON text, or the message of an error. */
export interface SandboxReply {
  readonly id: number
  readonly json?: string
  readonly error?: string
}

/** The parts of quickjs-emscripten that are used. */
interface Handle {
  dispose(): void
}
interface QuickJsContext {
  readonly runtime: {
    setMemoryLimit(bytes: number): void
    setMaxStackSize(bytes: number): void
    setInterruptHandler(handler: () => boolean): void
    executePendingJobs(max: number): { readonly error?: Handle; readonly value?: number }
    hasPendingJob(): boolean
  }
  readonly global: Handle
  readonly undefined: Handle
  newFunction(name: string, fn: (...args: Handle[]) => Handle): Handle
  newString(text: string): Handle
  newPromise(): { readonly handle: Handle; resolve(value: Handle): void; reject(value: Handle): void }
  newError(message: string): Handle
  getString(handle: Handle): string
  setProp(object: Handle, key: string, value: Handle): void
  evalCode(code: string, file: string): { readonly error?: Handle; readonly value?: Handle }
  dump(handle: Handle): unknown
}
/** The module `quickjs-emscripten`. */
export interface QuickJsModule {
  getQuickJS(): Promise<{ newContext(): QuickJsContext }>
}

/** Measures how long a program computes. */
export function createStopwatch(limitMs: number): { run<T>(work: () => T): T; readonly isExpired: boolean } {
  let used = 0
  let startedAt: number | undefined
  return {
    run(work) {
      startedAt = performance.now()
      try {
        return work()
      } finally {
        used += performance.now() - startedAt
        startedAt = undefined
      }
    },
    get isExpired() {
      return used + (startedAt === undefined ? 0 : performance.now() - startedAt) > limitMs
    },
  }
}

/**
 * Returns the program with what it may use. The functions keep their own copies of `JSON` and `Promise`, so a program that changes them changes
 * nothing else.
 */
export function wrapProgram(code: string, functions: readonly string[]): string {
  const members = functions.map((name) => `${JSON.stringify(name)}: (args) => call(${JSON.stringify(name)}, args)`).join(', ')
  return `((send, log, done) => {
  const { stringify: toJson, parse } = JSON
  const stringify = (value) => toJson(value, (name, item) => typeof item === 'bigint' ? String(item) : item)
  const then = Promise.prototype.then
  const call = (name, args) => then.call(send(name, stringify(args ?? {}) ?? '{}'), (text) => parse(text))
  const text = (value) => typeof value === 'string' ? value : (stringify(value) ?? String(value))
  const tools = Object.freeze({ __proto__: null, ${members} })
  const print = (...values) => log(values.map(text).join(' '))
  const console = { log: print, info: print, warn: print, error: print, debug: print }
  const main = async () => {
${code}
  }
  const ended = then.call(main(), (value) => done(text(value ?? null), false))
  then.call(ended, undefined, (error) => done(String(error?.message ?? error), true))
})`
}

/** Runs a program and reports what it does. */
export function runSandbox(port: MessagePort, { code, functions, limits }: SandboxData, context: QuickJsContext): void {
  const { runtime } = context
  const tooLong = `The program computed for more than ${limits.cpuTimeMs} ms`
  const stopwatch = createStopwatch(limits.cpuTimeMs)
  const pending = new Map<number, ReturnType<QuickJsContext['newPromise']>>()
  const logs: string[] = []
  const state = { calls: 0, logged: 0, isEnded: false }

  const end = (output: string, isError: boolean): void => {
    if (state.isEnded) return
    state.isEnded = true
    port.postMessage({ type: 'end', output: output.slice(0, limits.maxOutputBytes), logs: logs.join('\n'), isError })
  }
  const send = (nameHandle: Handle, argsHandle: Handle): Handle => {
    const [name, args] = [context.getString(nameHandle), context.getString(argsHandle)]
    const promise = context.newPromise()
    const problem =
      (!functions.includes(name) && `There is no tool ${name}`) ||
      (++state.calls > limits.maxCalls && `The program has called tools ${limits.maxCalls} times, which is the limit`) ||
      (args.length > limits.maxArgumentBytes && 'The arguments are too large')
    if (problem) promise.reject(context.newError(problem))
    else {
      pending.set(state.calls, promise)
      port.postMessage({ type: 'call', id: state.calls, name, args })
    }
    return promise.handle
  }
  const log = (handle: Handle): Handle => {
    const text = context.getString(handle)
    if (state.logged < limits.maxOutputBytes) logs.push(text.slice(0, limits.maxOutputBytes - state.logged))
    state.logged += text.length
    return context.undefined
  }
  const done = (output: Handle, isError: Handle): Handle => {
    const isFailed = context.dump(isError) === true
    // An interrupt is an exception, too.
    end(isFailed && stopwatch.isExpired ? tooLong : context.getString(output), isFailed)
    return context.undefined
  }
  /** Runs what is ready, and ends the program if nothing can happen any more. */
  const advance = (work: () => { readonly error?: Handle } | undefined): void => {
    port.postMessage({ type: 'running' })
    let failure = stopwatch.run(work)?.error
    while (!failure && !state.isEnded && !stopwatch.isExpired && runtime.hasPendingJob())
      failure = stopwatch.run(() => runtime.executePendingJobs(100)).error
    port.postMessage({ type: 'waiting' })
    if (stopwatch.isExpired) end(tooLong, true)
    else if (failure) end(describeFailure(context, failure), true)
    else if (pending.size === 0) end('The program waits for something that never happens', true)
  }
  runtime.setMemoryLimit(limits.memoryBytes)
  runtime.setMaxStackSize(limits.stackBytes)
  runtime.setInterruptHandler(() => stopwatch.isExpired)
  for (const [name, fn] of Object.entries({ send, log, done }))
    context.setProp(context.global, `$${name}`, context.newFunction(name, fn as never))
  port.on('message', ({ id, json, error }: SandboxReply) => {
    const promise = pending.get(id)
    pending.delete(id)
    if (!promise || state.isEnded) return
    advance(() => {
      if (error === undefined) promise.resolve(context.newString(json ?? 'null'))
      else promise.reject(context.newError(error))
      return undefined
    })
  })
  const start = `{ const parts = [$send, $log, $done]; delete globalThis.$send; delete globalThis.$log; delete globalThis.$done; (${wrapProgram(code, functions)})(...parts) }`
  advance(() => context.evalCode(start, 'program.js'))
}

/** Describes an exception that the program did not catch, such as a syntax error, or running out of memory. */
export function describeFailure(context: QuickJsContext, failure: Handle): string {
  try {
    const error = context.dump(failure) as { name?: unknown; message?: unknown } | string | null
    if (typeof error === 'object' && error) return `${String(error.name)}: ${String(error.message)}`
    return String(error)
  } catch {
    return 'The program ran out of memory'
  }
}
