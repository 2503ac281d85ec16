import type { CallToolResult, Client } from 'portcall/client'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { buildArguments, readArguments, validateArguments } from '../arguments.ts'
import { type Command, defineCommand } from '../command.ts'
import { findByName } from '../command-line/did-you-mean.ts'
import { printResult } from '../print-result.ts'
import { createProgressBar } from '../progress.ts'
import { withTasksClient } from '../target/connect.ts'

/** The option of commands that call tools. */
export const UNCHECKED = {
  type: 'boolean',
  description: 'Send the arguments without fetching the schema of the tool',
} as const

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
    unchecked: UNCHECKED,
  },
  examples: [
    'portcall call http://127.0.0.1:3000/mcp greet name=Ada',
    'portcall call .mcp.json:notes search query=error limit=3 --json',
    'portcall call draw shape:=\'{"sides":3}\' --save pictures -- node server.js',
  ],
  run: async ({ args: [name = '', ...words], flags, io, ...invocation }) =>
    withTasksClient({ ...invocation, flags, io }, async (client) => {
      const params = await toolArgumentsReader(flags)(client, name, words)
      const bar = createProgressBar(io)
      const { onProgress } = bar
      const result = await client
        .callTool(name, params, { signal: io.signal, ...(onProgress && { onProgress }) })
        .finally(bar.clear)
      return printResult(result as CallToolResult, io, flags.save)
    }),
})

/** Reads the arguments of a tool. @throws CliError if there is no such tool, or they are invalid. */
export async function readToolArguments(client: Client, toolName: string, words: readonly string[]): Promise<JsonObject> {
  const args = await readArguments(words)
  const tool = await findByName('tool', toolName, client.tools())
  const schema = isObject(tool.inputSchema) ? tool.inputSchema : {}
  const params = buildArguments(args, schema)
  await validateArguments(params, schema, toolName)
  return params
}

/** Returns the function that reads the arguments of a tool: with its schema, or without it if they are not to be checked. */
export function toolArgumentsReader({ unchecked }: { readonly unchecked?: boolean | undefined }): typeof readToolArguments {
  return unchecked ? async (_client, _toolName, words) => buildArguments(await readArguments(words)) : readToolArguments
}
