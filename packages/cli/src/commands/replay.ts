import type { Client } from 'portcall/client'
import { pluralize } from '../../../util/src/pluralize.ts'
import { usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import type { ExitReason } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { ignoreFlag, printRows } from '../sessions/print-rows.ts'
import { isRecording, readSourceFile, splitSources } from '../sessions/read-source.ts'
import { withClient } from '../target/connect.ts'
import { serveBridge } from './bridge.ts'

/** `portcall replay` */
export const replayCommand: Command = defineCommand({
  name: 'replay',
  summary: 'Send recorded requests again, or serve a recording',
  serverUse: 'connect',
  usage: '<file> [server]',
  args: ['[server]'],
  details: [
    'Sends the requests of a recording to a server, and prints the differences between the new and the recorded responses. Tools are called again. Differences that come from the protocol version are ignored, so the recording may be older than the server.',
    'With a file of saved calls, makes these calls and checks their assertions instead. Without a server, serves the recording to a host or client: over stdio, or over HTTP with --http.',
    'The exit code is 1 if there are differences, or if an assertion fails.',
  ],
  flags: {
    ignore: ignoreFlag('results, such as /structuredContent/time'),
    http: { type: 'string', value: 'PORT', description: 'Serve the recording over HTTP on this port (0: any free port)' },
  },
  examples: [
    'portcall replay session.ndjson http://127.0.0.1:3000/mcp --ignore /content/*/text',
    'portcall replay calls.json -- node server.js',
    'portcall replay session.ndjson --http 3333',
  ],
  async run({ server, args, flags, io }) {
    const { first, second } = splitSources(server, args)
    const text = readSourceFile(first)
    if (text === undefined) throw usageError(`cannot read ${first}`, 'pass a recording or a file of saved calls')
    const { readCallFile, serveRecording } = await import('portcall/diagnostics')
    const calls = asUsageError(() => readCallFile(text))
    if (!calls && !isRecording(text)) throw usageError(`${first} is neither a recording nor a file of saved calls`)
    if (!second) {
      if (calls) throw usageError('saved calls need a server', `write portcall replay ${first} SERVER`)
      return serveBridge(
        asUsageError(() => serveRecording(text)),
        { resolved: { target: first }, io, http: flags.http },
      )
    }
    return withClient({ flags, io, server: second }, (client) =>
      calls ? runCalls(calls, client, io) : replay(text, client, { io, ignore: flags.ignore }),
    )
  },
})

function asUsageError<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof SyntaxError ? usageError(error.message) : error
  }
}

async function replay(text: string, client: Client, { io, ignore }: { io: Io; ignore: readonly string[] }): Promise<ExitReason> {
  const { replayCalls } = await import('portcall/diagnostics')
  const skipped: { where: string; reason: string }[] = []
  for await (const event of replayCalls(text, client, { ignore, signal: io.signal })) {
    if (event.type === 'skipped') {
      skipped.push({ where: event.where, reason: event.reason })
      io.log(`skipped ${event.where}: ${event.reason}`)
    }
    if (event.type === 'replayed' && !io.json) printRows(event.differences, io)
    if (event.type !== 'finished') continue
    const { total, replayed, differences } = event
    if (io.json) io.value({ total, replayed, skipped, differences })
    else io.line(`${replayed} of ${total} requests replayed, ${pluralize(differences.length, 'difference')}`)
    return differences.length > 0 ? 'failed' : 'success'
  }
  return 'internal'
}

type Calls = NonNullable<ReturnType<typeof import('portcall/diagnostics').readCallFile>>

async function runCalls(calls: Calls, client: Client, io: Io): Promise<ExitReason> {
  const { runCallFile } = await import('portcall/diagnostics')
  const outcomes = []
  for await (const outcome of runCallFile(calls, client)) {
    outcomes.push(outcome)
    if (io.json) continue
    io.line(`${outcome.passed ? '✓' : '✗'} ${outcome.name}`)
    for (const failure of outcome.failures) io.line(`    ${failure}`)
  }
  const failed = outcomes.filter(({ passed }) => !passed).length
  if (io.json) io.value({ outcomes })
  else io.line(`${outcomes.length - failed} passed, ${failed} failed`)
  return failed > 0 ? 'failed' : 'success'
}
