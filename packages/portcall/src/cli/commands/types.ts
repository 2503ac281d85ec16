import { writeFile } from 'node:fs/promises'
import { type Command, defineCommand } from '../command.ts'
import { generateModule } from '../generate-types.ts'
import { withClient } from '../target/connect.ts'

/** `portcall types` */
export const typesCommand: Command = defineCommand({
  name: 'types',
  summary: 'Generate TypeScript types from a server',
  serverUse: 'connect',
  args: [],
  details: ['Prints a TypeScript module with the types of all tools, and a function that connects with these types.'],
  flags: { out: { type: 'string', short: 'o', value: 'FILE', description: 'Write to this file instead of stdout' } },
  examples: ['portcall types http://127.0.0.1:3000/mcp --out src/notes.ts'],
  run: async ({ flags, io, ...invocation }) =>
    withClient({ ...invocation, flags, io }, async (client) => {
      const { serverInfo } = await client.discover()
      const text = generateModule(serverInfo?.name ?? 'server', await client.tools().toArray())
      if (flags.out === undefined) io.data(text.trimEnd())
      else await writeFile(flags.out, text)
    }),
})
