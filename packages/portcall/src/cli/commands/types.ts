import { writeFile } from 'node:fs/promises'
import type { Client } from '../../entrypoints/client.ts'
import { type Command, defineCommand } from '../command.ts'
import { type DescribedServer, generateFunctions, generateModule } from '../generate-types.ts'
import { withClient } from '../target/connect.ts'

const OUT = { out: { type: 'string', short: 'o', value: 'FILE', description: 'Write to this file instead of stdout' } } as const

async function describeServer(client: Client): Promise<DescribedServer> {
  const { serverInfo, capabilities } = await client.discover()
  return {
    name: serverInfo?.name ?? 'server',
    tools: capabilities.tools ? await client.tools().toArray() : [],
    prompts: capabilities.prompts ? await client.prompts().toArray() : [],
  }
}

/** `portcall types` */
export const typesCommand: Command = defineCommand({
  name: 'types',
  summary: 'Generate TypeScript types from a server',
  serverUse: 'connect',
  args: [],
  details: ['Prints a TypeScript module with the types of all tools, and a function that connects with these types.'],
  flags: OUT,
  examples: ['portcall types http://127.0.0.1:3000/mcp --out src/notes.ts'],
  run: async ({ flags, io, ...invocation }) =>
    withClient({ ...invocation, flags, io }, async (client) => {
      const text = generateModule(await describeServer(client))
      if (flags.out === undefined) io.data(text.trimEnd())
      else await writeFile(flags.out, text)
    }),
})

/** `portcall generate` */
export const generateCommand: Command = defineCommand({
  name: 'generate',
  summary: 'Generate a typed module with a function for each tool',
  serverUse: 'connect',
  args: [],
  details: [
    'Prints a TypeScript module with a function for each tool and prompt of a server: `const notes = createNotes(await connectNotes(url))`, then `await notes.addNote({ text })`.',
  ],
  flags: OUT,
  examples: ['portcall generate http://127.0.0.1:3000/mcp --out src/notes.ts'],
  run: async ({ flags, io, ...invocation }) =>
    withClient({ ...invocation, flags, io }, async (client) => {
      const text = generateFunctions(await describeServer(client))
      if (flags.out === undefined) io.data(text.trimEnd())
      else await writeFile(flags.out, text)
    }),
})
