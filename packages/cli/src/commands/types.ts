import { writeFile } from 'node:fs/promises'
import type { Client } from 'portcall/client'
import { type Command, defineCommand } from '../command.ts'
import type { ExitReason } from '../exit-codes.ts'
import { type DescribedServer, generateFunctions, generateModule } from '../generate-types.ts'
import type { Io } from '../io.ts'
import { reportErrors } from '../report-error.ts'
import { withLister } from '../target/connect.ts'
import { reportIncomplete, type UnavailableServers } from '../target/unavailable-servers.ts'

const OUT = { out: { type: 'string', short: 'o', value: 'FILE', description: 'Write to this file instead of stdout' } } as const

interface ModuleOptions {
  readonly unavailable: UnavailableServers
  readonly io: Io
  /** The file to write. Default: stdout. */
  readonly out: string | undefined
  readonly lists: readonly ('tools' | 'prompts')[]
}

/** Writes the module that `generate` returns, with the lists that could be fetched. A module without tools is not written because of an error. */
async function writeModule(
  client: Client,
  { unavailable, io, out, lists }: ModuleOptions,
  generate: (server: DescribedServer) => string,
): Promise<ExitReason> {
  const { readInventory } = await import('portcall/diagnostics')
  const { inventory, failures } = await readInventory(client, { lists })
  const noTools = failures.find(({ method }) => method === 'tools/list')
  if (noTools) throw noTools.error
  const { discovered, tools, prompts } = inventory
  const text = generate({ name: discovered.serverInfo?.name ?? 'server', tools, prompts })
  if (out === undefined) io.data(text.trimEnd())
  else await writeFile(out, text)
  const errors = failures.map(({ error }) => error)
  return reportErrors(errors, io.json) ?? reportIncomplete(unavailable, io) ?? 'success'
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
    withLister({ ...invocation, flags, io }, (client, unavailable) =>
      writeModule(client, { unavailable, io, out: flags.out, lists: ['tools'] }, generateModule),
    ),
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
    withLister({ ...invocation, flags, io }, (client, unavailable) =>
      writeModule(client, { unavailable, io, out: flags.out, lists: ['tools', 'prompts'] }, generateFunctions),
    ),
})
