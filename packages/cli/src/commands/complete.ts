import type { CompletionRef } from 'portcall/client'
import { buildArguments, readArguments } from '../arguments.ts'
import { usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { withClient } from '../target/connect.ts'

/** `portcall complete` */
export const completeCommand: Command = defineCommand({
  name: 'complete',
  summary: 'Complete an argument of a prompt or resource template',
  serverUse: 'connect',
  args: ['<prompt-or-template>', '<argument>', '[context...]'],
  details: [
    'Pass the argument to complete as name=prefix, followed by the arguments that are already known as name=text. A name that contains a brace is a resource template.',
  ],
  flags: {},
  examples: ['portcall complete http://127.0.0.1:3000/mcp summarize path=err'],
  run: async ({ args: [name = '', ...words], io, ...invocation }) =>
    withClient({ ...invocation, io }, async (client) => {
      const [argument, ...context] = await readArguments(words)
      if (argument?.kind !== 'text') throw usageError('the argument to complete must be name=prefix')
      const ref: CompletionRef = name.includes('{') ? { type: 'ref/resource', uri: name } : { type: 'ref/prompt', name }
      const completion = await client.complete(
        ref,
        { name: argument.name, value: argument.text },
        { arguments: buildArguments(context) as Record<string, string>, signal: io.signal },
      )
      if (io.json) return io.value({ completion })
      for (const value of completion.values) io.line(value)
    }),
})
