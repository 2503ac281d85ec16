import type { Client } from '../../client.ts'
import { assemble } from '../arguments/coerce.ts'
import { readPairs } from '../arguments/pair.ts'
import { type Command, defineCommand } from '../command.ts'
import { didYouMean } from '../grammar/nearest.ts'
import { showBlocks } from '../show/blocks.ts'
import { misused } from '../stop.ts'
import { named } from '../target/named.ts'
import { withClient } from '../target/open.ts'

/** `portcall prompt`: gets a prompt. */
export const prompt: Command = defineCommand({
  name: 'prompt',
  summary: 'Gets a prompt',
  takes: 'target',
  words: ['PROMPT', '[ARGUMENT …]'],
  details: ['Each ARGUMENT is name=text; the arguments of prompts are text.'],
  flags: { save: { type: 'string', value: 'FOLDER', description: 'Save images, sound and other bytes there' } },
  examples: ['portcall prompt http://127.0.0.1:3000/mcp summarise path=errors.md'],
  run: async ({ words: [name = '', ...rest], flags, io, ...given }) =>
    withClient({ ...given, flags, io }, async (client) => {
      const args = textsOf(assemble(await readPairs(rest)))
      await checkNames(client, name, args)
      const result = await client.getPrompt(name, args, { signal: io.signal })
      if (io.json) return io.value(result)
      for (const { role, content } of result.messages)
        for (const line of await showBlocks([content].flat(), flags.save)) io.data(`${role}: ${line}`)
    }),
})

function textsOf(args: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

async function checkNames(client: Client, name: string, args: object): Promise<void> {
  const { arguments: known = [] } = await named('prompt', name, client.prompts())
  const missing = known.find((one) => one.required && !Object.hasOwn(args, one.name))
  if (missing) throw misused(`the arguments do not fit ${name}: ${missing.name}: required`)
  const names = known.map((one) => one.name)
  const strange = Object.keys(args).find((one) => !names.includes(one))
  if (strange !== undefined) throw misused(`the prompt ${name} has no argument ${strange}`, didYouMean(strange, names))
}
