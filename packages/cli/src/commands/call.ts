import type { CallToolResult, Client } from 'portcall/client'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { type Argument, buildArguments, readArguments, validateArguments } from '../arguments.ts'
import { type Command, defineCommand } from '../command.ts'
import { findByName } from '../command-line/did-you-mean.ts'
import { printResult } from '../print-result.ts'
import { createProgressBar } from '../progress.ts'
import { withTasksClient } from '../target/connect.ts'

/** `portcall call` */
export const callCommand: Command = defineCommand({
  name: 'call',
  summary: 'Call a tool',
  serverUse: 'connect',
  args: ['<tool>', '[arguments...]'],
  details: [
    'Arguments are validated before anything is sent. If the call becomes a task, the command waits for it; Ctrl-C cancels it.',
  ],
  choices: [
    {
      title: 'Arguments',
      values: {
        'name=text': 'A string, or a number, boolean or null if the schema requires it; repeat it for each item of an array',
        'name:=json': 'A JSON value',
        'name=@file': 'The content of a file; @- reads stdin',
        '@file': 'A JSON object with all arguments',
      },
    },
  ],
  flags: {
    save: { type: 'string', value: 'DIR', description: 'Save images, audio and other binary content to this directory' },
    unchecked: { type: 'boolean', description: 'Send the arguments without fetching the schema of the tool' },
  },
  examples: [
    'portcall call http://127.0.0.1:3000/mcp greet name=Ada',
    'portcall call .mcp.json:notes search query=error limit=3 --json',
    'portcall call draw shape:=\'{"sides":3}\' --save pictures -- node server.js',
  ],
  run: async ({ args: [name = '', ...words], flags, io, ...invocation }) =>
    withTasksClient({ ...invocation, flags, io }, async (client) => {
      const args = await readArguments(words)
      const params = flags.unchecked ? buildArguments(args) : await buildValidArguments(client, name, args)
      const bar = createProgressBar(io)
      const { onProgress } = bar
      const result = await client
        .callTool(name, params, { signal: io.signal, ...(onProgress && { onProgress }) })
        .finally(bar.clear)
      return printResult(result as CallToolResult, io, flags.save)
    }),
})

/** Builds arguments that match the schema of a tool. @throws CliError when there is no such tool, or the arguments are invalid. */
export async function buildValidArguments(client: Client, toolName: string, args: readonly Argument[]): Promise<JsonObject> {
  const tool = await findByName('tool', toolName, client.tools())
  const schema = isObject(tool.inputSchema) ? tool.inputSchema : {}
  const params = buildArguments(args, schema)
  await validateArguments(params, schema, toolName)
  return params
}
