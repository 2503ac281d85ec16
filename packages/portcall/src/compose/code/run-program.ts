import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import {
  createStopwatch,
  describeFailure,
  runSandbox,
  type SandboxData,
  type SandboxMessage,
  type SandboxReply,
  wrapProgram,
} from './sandbox.ts'

/** A program to run. */
export interface Program extends SandboxData {
  /** Where the module `quickjs-emscripten` is. Default: where this package, or the working directory, finds it. */
  readonly quickjs: string | undefined
  /** How long the program may take with everything it waits for, in milliseconds. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Calls a tool. Returns JSON text. @throws Error whose message the program gets. */
  readonly callTool: (name: string, args: string) => Promise<string>
}

/** The result and the output of a program. */
export interface ProgramResult {
  readonly output: string
  readonly logs: string
  readonly isError: boolean
}

const MODULE = 'quickjs-emscripten'
/** The interpreter notices by itself that the time is over, except in some of its built-in functions. Then the thread is ended. */
const GRACE_MS = 1000
const WORKER_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }

/** Starts the functions of the sandbox in the worker. */
const START = `
const { parentPort, workerData } = require('node:worker_threads')
const load = async () => { try { return require(workerData.module) } catch { return import(workerData.module) } }
load().then((module) => module.getQuickJS()).then((quickjs) => runSandbox(parentPort, workerData, quickjs.newContext()))
`

/**
 * Runs a program in an interpreter of its own (QuickJS, compiled to WebAssembly) in a thread of its own. It has no access to the network, the
 * file system, timers or modules, only to the tools.
 */
export function runProgram(program: Program): Promise<ProgramResult> {
  const { code, functions, limits, timeoutMs, signal, callTool } = program
  const source = [createStopwatch, wrapProgram, describeFailure, runSandbox].map(String).join('\n') + START
  const workerData = { code, functions, limits, module: findModule(program.quickjs) }
  const worker = new Worker(source, {
    eval: true,
    workerData,
    env: {},
    resourceLimits: WORKER_LIMITS,
    stdout: true,
    stderr: true,
  })
  let overrun: ReturnType<typeof setTimeout> | undefined
  return new Promise<ProgramResult>((resolve, reject) => {
    const fail = (output: string): void => resolve({ output, logs: '', isError: true })
    const onAbort = (): void => reject(signal.reason)
    const timer = setTimeout(() => fail(`The program took more than ${timeoutMs} ms`), timeoutMs)
    const end = (): void => {
      clearTimeout(timer)
      clearTimeout(overrun)
      signal.removeEventListener('abort', onAbort)
      void worker.terminate()
    }
    const reply = (message: SandboxReply): void => worker.postMessage(message)
    const onMessage = (message: SandboxMessage): void => {
      clearTimeout(overrun)
      if (message.type === 'running')
        overrun = setTimeout(() => fail(`The program computed for more than ${limits.cpuTimeMs} ms`), limits.cpuTimeMs + GRACE_MS)
      else if (message.type === 'end') resolve(message)
      else if (message.type === 'call')
        callTool(message.name, message.args).then(
          (json) => reply({ id: message.id, json }),
          (error: unknown) => reply({ id: message.id, error: error instanceof Error ? error.message : String(error) }),
        )
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    worker.on('message', onMessage)
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') fail('The program ran out of memory')
      else reject(error)
    })
    worker.on('exit', () => fail('The program ended unexpectedly'))
    outcomes.set(worker, end)
  }).finally(() => outcomes.get(worker)?.())
}

/** The functions that release the resources of running programs. */
const outcomes = new WeakMap<Worker, () => void>()

/** Returns the file of the interpreter. @throws Error that says what to install. */
function findModule(path: string | undefined): string {
  if (path !== undefined) return path
  for (const from of [import.meta.url, `${process.cwd()}/index.js`])
    try {
      return createRequire(from).resolve(MODULE)
    } catch {}
  throw new Error(`codeMode needs the package ${MODULE}: npm install ${MODULE}`)
}
