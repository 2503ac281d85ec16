import type { ComparisonRow } from 'portcall/diagnostics'
import { pluralize } from '../../../util/src/pluralize.ts'
import { usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { ignoreFlag, printRows } from '../sessions/print-rows.ts'
import { type ComparedSource, readSource, reportUnread, splitSources } from '../sessions/read-source.ts'

/** `portcall diff` */
export const diffCommand: Command = defineCommand({
  name: 'diff',
  summary: 'Compare two servers, versions, snapshots or recordings',
  serverUse: 'connect',
  usage: '<left> [right]',
  args: ['[right]'],
  details: [
    'Each side is a server, a snapshot (see portcall snapshot) or a recording. Prints one line for each member that differs, and whether it breaks clients of the left side: removed items, new required arguments, narrower input schemas, wider output schemas, weaker annotations.',
    'To compare two protocol versions of one server, pass it once with --left-version and --right-version.',
    'The exit code is 1 if there are differences; with --breaking, only if one breaks clients.',
  ],
  flags: {
    ignore: ignoreFlag('items, such as /description'),
    breaking: { type: 'boolean', description: 'Print only the differences that break clients' },
    'left-version': { type: 'string', value: 'DATE', description: 'Use only this protocol version with the server on the left' },
    'right-version': {
      type: 'string',
      value: 'DATE',
      description: 'Use only this protocol version with the server on the right',
    },
  },
  examples: [
    'portcall diff https://api.example.com/mcp http://127.0.0.1:3000/mcp',
    'portcall diff released.json --breaking -- node server.js',
    'portcall diff http://127.0.0.1:3000/mcp --left-version DATE --right-version DATE',
  ],
  async run({ server, args, flags, io, ...invocation }) {
    const { compareRecordings, compareSnapshots } = await import('portcall/diagnostics')
    const { first, second } = splitSources(server, args)
    const [leftVersion, rightVersion] = [flags['left-version'], flags['right-version']]
    if (!second && leftVersion === rightVersion)
      throw usageError('diff needs two sources', 'pass a second one, or --left-version and --right-version')
    const read = (source: Parameters<typeof readSource>[0], version: string | undefined): Promise<ComparedSource> =>
      readSource(source, {
        ...invocation,
        io,
        flags: { ...flags, ...(version !== undefined && { 'protocol-version': version }) },
      })
    const left = await read({ location: first }, leftVersion)
    const right = await read(second ?? { location: first }, rightVersion)
    const { ignore } = flags
    const rows: ComparisonRow[] = compareSnapshots(left.snapshot, right.snapshot, { ignore })
    if (left.recording !== undefined && right.recording !== undefined)
      rows.push(...compareRecordings(left.recording, right.recording, { ignore }))
    const shown = flags.breaking ? rows.filter(({ breaking }) => breaking) : rows
    const count = rows.filter(({ breaking }) => breaking).length
    if (io.json) io.value({ rows: shown, breaking: count })
    else {
      printRows(shown, io)
      io.line(`${pluralize(rows.length, 'difference')}, ${count} breaking`)
    }
    const unread = [left, right].map((source) => reportUnread(source, io))
    return shown.length > 0 ? 'failed' : (unread.find((reason) => reason !== undefined) ?? 'success')
  },
})
