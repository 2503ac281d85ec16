import { writeFile } from 'node:fs/promises'
import { type Command, defineCommand } from '../command.ts'
import { withClient } from '../target/open.ts'
import { writeModule } from '../types/module.ts'

/** `portcall types`: a client that is typed by a server which runs. */
export const types: Command = defineCommand({
  name: 'types',
  summary: 'Writes the types of a client for a server',
  takes: 'target',
  words: [],
  details: ['Writes a TypeScript module with the types of all tools, and a function that connects with them.'],
  flags: { out: { type: 'string', short: 'o', value: 'FILE', description: 'Write it there instead of to stdout' } },
  examples: ['portcall types http://127.0.0.1:3000/mcp --out src/notes.ts'],
  run: async ({ flags, io, ...given }) =>
    withClient({ ...given, flags, io }, async (client) => {
      const { serverInfo } = await client.discover()
      const text = writeModule(serverInfo?.name ?? 'server', await client.tools().toArray())
      if (flags.out === undefined) io.data(text.trimEnd())
      else await writeFile(flags.out, text)
    }),
})
