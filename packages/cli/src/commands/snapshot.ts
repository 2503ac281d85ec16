import { writeFileSync } from 'node:fs'
import { type Command, defineCommand } from '../command.ts'
import { readSource, reportUnread } from '../sessions/read-source.ts'

/** `portcall snapshot` */
export const snapshotCommand: Command = defineCommand({
  name: 'snapshot',
  summary: 'Save the tools, resources and prompts of a server in a file',
  serverUse: 'connect',
  args: [],
  details: [
    'Writes the capabilities, tools, resources, templates and prompts of a server as JSON, for portcall diff. From a recording, writes what it contains of these.',
    'Declares all capabilities of clients, because some servers list tools only for clients that answer their input requests or show views.',
    'If a list cannot be fetched, or servers of a gateway are missing, the snapshot is written, and the exit code says that it is incomplete.',
  ],
  flags: { out: { type: 'string', short: 'o', value: 'FILE', description: 'The file to write (default: stdout)' } },
  examples: ['portcall snapshot http://127.0.0.1:3000/mcp --out released.json', 'portcall snapshot server.js > released.json'],
  async run({ server, flags, io, ...invocation }) {
    const { writeSnapshot } = await import('portcall/diagnostics')
    const source = await readSource(server, { ...invocation, flags, io })
    const text = writeSnapshot(source.snapshot)
    if (flags.out === undefined) io.data(text.trimEnd())
    else writeFileSync(flags.out, text)
    return reportUnread(source, io) ?? 'success'
  },
})
