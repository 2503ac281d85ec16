import type { CompletionRef } from '../../client.ts'
import { assemble } from '../arguments/coerce.ts'
import { readPairs } from '../arguments/pair.ts'
import { type Command, defineCommand } from '../command.ts'
import { misused } from '../stop.ts'
import { withClient } from '../target/open.ts'

/** `portcall complete`: suggestions of a server. */
export const complete: Command = defineCommand({
  name: 'complete',
  summary: 'Suggests values for an argument of a prompt or a template',
  takes: 'target',
  words: ['PROMPT-OR-TEMPLATE', 'ARGUMENT', '[FILLED-IN …]'],
  details: [
    `ARGUMENT is name=beginning. FILLED-IN are the arguments that are known already, as name=text. What holds a brace is a template, all else
the name of a prompt.`,
  ],
  flags: {},
  examples: ['portcall complete http://127.0.0.1:3000/mcp summarise path=err'],
  run: async ({ words: [what = '', ...rest], io, ...given }) =>
    withClient({ ...given, io }, async (client) => {
      const [argument, ...known] = await readPairs(rest)
      if (argument?.kind !== 'text') throw misused('the argument is written name=beginning')
      const ref: CompletionRef = what.includes('{') ? { type: 'ref/resource', uri: what } : { type: 'ref/prompt', name: what }
      const filled = assemble(known) as Record<string, string>
      const completion = await client.complete(
        ref,
        { name: argument.name, value: argument.text },
        { arguments: filled, signal: io.signal },
      )
      if (io.json) return io.value({ completion })
      for (const value of completion.values) io.data(value)
    }),
})
