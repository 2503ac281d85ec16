import { writeFileSync } from 'node:fs'
import { type Command, defineCommand } from '../command.ts'
import { reportErrors } from '../report-error.ts'
import { readSource } from '../sessions/read-source.ts'

/** `portcall snapshot` */
export const snapshotCommand: Command = defineCommand({
  name: 'snapshot',
  summary: 'Save the tools, resources and prompts of a server in a file',
  serverUse: 'connect',
  args: [],
  details: [
    'Writes the capabilities, tools, resources, templates and prompts of a server as JSON, for portcall diff. From a recording, writes what it contains of these.',
  ],
  flags: { out: { type: 'string', short: 'o', value: 'FILE', description: 'The file to write (default: stdout)' } },
  examples: ['portcall snapshot http://127.0.0.1:3000/mcp --out released.json', 'portcall snapshot server.js > released.json'],
  async run({ server, flags, io, ...invocation }) {
    const { writeSnapshot } = await import('../../entrypoints/diagnostics.ts')
    const { snapshot, errors } = await readSource(server, { ...invocation, flags, io })
    const text = writeSnapshot(snapshot)
    if (flags.out === undefined) io.data(text.trimEnd())
    else writeFileSync(flags.out, text)
    return reportErrors(errors, io.json) ?? 'success'
  },
})
