import type { CallToolResult, Client } from '../../client.ts'
import { isObject, type JsonObject } from '../../jsonrpc.ts'
import { checkArguments } from '../arguments/check.ts'
import { assemble } from '../arguments/coerce.ts'
import { type Pair, readPairs } from '../arguments/pair.ts'
import { type Command, defineCommand } from '../command.ts'
import { createProgressLine } from '../show/progress.ts'
import { tellResult } from '../show/result.ts'
import { named } from '../target/named.ts'
import { withTasks } from '../target/open.ts'

/** `portcall call`: calls a tool. */
export const call: Command = defineCommand({
  name: 'call',
  summary: 'Calls a tool',
  takes: 'target',
  words: ['TOOL', '[ARGUMENT …]'],
  details: [
    `An ARGUMENT is name=text, name:=json, or @file for all of them as a JSON object. The text becomes a number, a boolean or a list when the
schema of the tool says so; a list is written by naming it several times. A value that begins with @ is read from that file, @- from stdin.`,
    'The arguments are checked before anything is sent. A call that becomes a task is waited for; Ctrl-C cancels the task.',
  ],
  flags: {
    save: { type: 'string', value: 'FOLDER', description: 'Save images, sound and other bytes there' },
    unchecked: { type: 'boolean', description: 'Send the arguments as they are, without asking for the schema of the tool' },
  },
  examples: [
    'portcall call http://127.0.0.1:3000/mcp greet name=Ada',
    'portcall call .mcp.json:notes search query=error limit=3 --json',
    'portcall call draw shape:=\'{"sides":3}\' --save pictures -- node server.js',
  ],
  run: async ({ words: [name = '', ...rest], flags, io, ...given }) =>
    withTasks({ ...given, flags, io }, async (client) => {
      const pairs = await readPairs(rest)
      const args = flags.unchecked ? assemble(pairs) : await fitting(client, name, pairs)
      const line = createProgressLine(io)
      const { onProgress } = line
      const result = await client
        .callTool(name, args, { signal: io.signal, ...(onProgress && { onProgress }) })
        .finally(line.clear)
      return tellResult(result as CallToolResult, io, flags.save)
    }),
})

/** The arguments as the schema of the tool wants them. @throws Stop when there is no such tool, or they do not fit. */
export async function fitting(client: Client, name: string, pairs: readonly Pair[]): Promise<JsonObject> {
  const tool = await named('tool', name, client.tools())
  const schema = isObject(tool.inputSchema) ? tool.inputSchema : {}
  const args = assemble(pairs, schema)
  await checkArguments(args, schema, name)
  return args
}
