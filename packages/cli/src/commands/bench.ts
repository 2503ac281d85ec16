import { buildArguments, readArguments } from '../arguments.ts'
import { type LanesOptions, withLanes } from '../bench/open-lanes.ts'
import { formatBench, toBenchJson } from '../bench/report.ts'
import { type LoadMeasurement, type LoadPlan, runLoad } from '../bench/run-load.ts'
import { usageError } from '../cli-error.ts'
import { type Command, defineCommand, type ValuesOf } from '../command.ts'
import type { ExitReason } from '../exit-codes.ts'
import { toolArgumentsReader, UNCHECKED } from './call.ts'

const FLAGS = {
  connections: {
    type: 'string',
    short: 'c',
    value: 'N',
    description: 'Connections with one call at a time each; over stdio, calls in flight (default: 10)',
  },
  duration: {
    type: 'string',
    short: 'd',
    value: 'SECONDS',
    description: 'How long to measure (default: 10; with --calls, until they are made)',
  },
  calls: { type: 'string', value: 'N', description: 'Make this many calls after the warm-up, then stop' },
  rate: {
    type: 'string',
    short: 'r',
    value: 'N',
    description: 'Calls per second, sent at fixed times (default: as many as the server answers)',
  },
  'warm-up': { type: 'string', value: 'SECONDS', description: 'How long to call before the measurement starts (default: 1)' },
  unchecked: UNCHECKED,
  method: { type: 'string', value: 'METHOD', description: 'Measure this method instead of a tool; the arguments are its params' },
} as const

/** The options that are numbers: their bounds and defaults. */
const BOUNDS = {
  connections: { min: 1, max: 1000, value: 10, isInteger: true },
  duration: { min: 0.001, max: 3600, value: 10, isInteger: false },
  calls: { min: 1, max: 1e9, value: 1e9, isInteger: true },
  rate: { min: 0.01, max: 1e6, value: undefined, isInteger: false },
  'warm-up': { min: 0, max: 3600, value: 1, isInteger: false },
} as const

/** Where the values of a result begin. */
const BENCH_INDENT = 9

/** `portcall bench` */
export const benchCommand: Command = defineCommand({
  name: 'bench',
  summary: 'Measure the throughput and latency of a server',
  serverUse: 'connect',
  args: ['[tool]', '[arguments...]'],
  details: [
    'Calls a tool repeatedly, on several connections at once, and prints successful calls per second, their latencies, and errors. Each response is checked. The exit code is 1 if calls failed, or if none got a response.',
    'Without --rate, each connection makes its next call when it has the response to the last one. This measures how much a server can do. With --rate, calls are due at fixed times, and latency counts from then: a call that has to wait because the server is slow does not look fast. This measures what clients experience.',
    'Over HTTP, the command connects once (for a session, once per connection) and makes the call, records the request, and sends it on plain sockets with a new id each time. That a response has this id is checked too. Other servers are called through one client, in the same process as the measurement.',
  ],
  choices: [
    {
      title: 'Arguments',
      values: {
        'name=text': 'A string, or a number, boolean or null if the schema requires it',
        'name:=json': 'A JSON value',
        'name=@file': 'The content of a file; @- reads stdin',
        '@file': 'A JSON object with all arguments',
      },
    },
  ],
  flags: FLAGS,
  examples: [
    'portcall bench http://127.0.0.1:3000/mcp add a=1 b=2',
    'portcall bench http://127.0.0.1:3000/mcp add a=1 b=2 --rate 500 --connections 50 --duration 30 --json',
    'portcall bench .mcp.json:notes --method tools/list',
    'portcall bench add a=1 b=2 --calls 10000 -- node server.js',
  ],
  async run({ args, flags, ...invocation }) {
    const { io } = invocation
    const plan = readPlan(flags)
    const connections = numberOf(flags, 'connections') ?? 1
    const { perSecond } = plan
    const { tool, readCall } = readCallOf(args, flags)
    const options = { invocation: { ...invocation, flags }, connections, readCall, timeoutMs: timeoutOf(flags) }
    return withLanes(options, async ({ lanes, protocolVersion }) => {
      const measurement = await runLoad(lanes, plan, io.signal)
      const call = tool === undefined ? (flags.method ?? '') : `tools/call ${tool}`
      const subject = { call, protocolVersion, connections, perSecond }
      if (io.json) io.value(toBenchJson(subject, measurement))
      else for (const line of formatBench(subject, measurement)) io.print([line], BENCH_INDENT)
      return exitReasonOf(measurement, io.signal)
    })
  },
})

/** Returns the tool that is measured, unless it is another method, and a function that reads the whole call. */
function readCallOf(
  args: readonly string[],
  flags: ValuesOf<typeof FLAGS>,
): { readonly tool: string | undefined; readonly readCall: LanesOptions['readCall'] } {
  const { method } = flags
  if (method !== undefined)
    return { tool: undefined, readCall: async () => ({ method, params: buildArguments(await readArguments(args)) }) }
  const [tool = '', ...words] = args
  if (tool === '') throw usageError('missing argument <tool>', 'pass a tool, or --method METHOD')
  const readToolArguments = toolArgumentsReader(flags)
  return { tool, readCall: async (client) => ({ tool, args: await readToolArguments(client, tool, words) }) }
}

function exitReasonOf({ failures, calls }: LoadMeasurement, signal: AbortSignal): ExitReason {
  if (signal.aborted) return 'interrupted'
  return failures.size > 0 || calls === 0 ? 'failed' : 'success'
}

/** @throws CliError that names an option with an invalid value. */
function numberOf(flags: ValuesOf<typeof FLAGS>, name: keyof typeof BOUNDS): number | undefined {
  const { min, max, value, isInteger } = BOUNDS[name]
  const text = flags[name]
  if (text === undefined) return value
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (number >= min && number <= max && (!isInteger || Number.isInteger(number))) return number
  throw usageError(`--${name} must be ${isInteger ? 'an integer' : 'a number'} from ${min} to ${max}, not ${text}`)
}

function readPlan(flags: ValuesOf<typeof FLAGS>): LoadPlan {
  return {
    warmUpMs: (numberOf(flags, 'warm-up') ?? 0) * 1000,
    durationMs:
      flags.duration === undefined && flags.calls !== undefined
        ? Number.POSITIVE_INFINITY
        : (numberOf(flags, 'duration') ?? 0) * 1000,
    maxCalls: numberOf(flags, 'calls') ?? Number.POSITIVE_INFINITY,
    perSecond: numberOf(flags, 'rate'),
  }
}

/** How long a call may take. The option is one of all commands that connect. */
function timeoutOf(flags: unknown): number {
  const { timeout = '60' } = flags as { readonly timeout?: string }
  return Number(timeout) * 1000
}
