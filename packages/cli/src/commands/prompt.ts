import type { Client } from 'portcall/client'
import { sanitizeLine } from '../../../util/src/printable.ts'
import { buildArguments, readArguments } from '../arguments.ts'
import { usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { didYouMean, findByName } from '../command-line/did-you-mean.ts'
import { formatContent } from '../print-result.ts'
import { withClient } from '../target/connect.ts'

/** `portcall prompt` */
export const promptCommand: Command = defineCommand({
  name: 'prompt',
  summary: 'Get a prompt',
  serverUse: 'connect',
  args: ['<prompt>', '[arguments...]'],
  details: ['Pass arguments as name=text. They are strings.'],
  flags: {
    save: { type: 'string', value: 'DIR', description: 'Save images, audio and other binary content to this directory' },
  },
  examples: ['portcall prompt http://127.0.0.1:3000/mcp summarize path=errors.md'],
  run: async ({ args: [name = '', ...words], flags, io, ...invocation }) =>
    withClient({ ...invocation, flags, io }, async (client) => {
      const args = toStrings(buildArguments(await readArguments(words)))
      await checkArguments(client, name, args)
      const result = await client.getPrompt(name, args, { signal: io.signal })
      if (io.json) return io.value(result)
      for (const { role, content } of result.messages)
        for (const line of await formatContent([content].flat(), flags.save)) io.data(`${sanitizeLine(role)}: ${line}`)
    }),
})

function toStrings(args: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

async function checkArguments(client: Client, promptName: string, args: object): Promise<void> {
  const { arguments: definitions = [] } = await findByName('prompt', promptName, client.prompts())
  const missing = definitions.find(({ name, required }) => required && !Object.hasOwn(args, name))
  if (missing) throw usageError(`invalid arguments for ${promptName}: ${missing.name}: required`)
  const names = definitions.map(({ name }) => name)
  const unknown = Object.keys(args).find((name) => !names.includes(name))
  if (unknown !== undefined) throw usageError(`the prompt ${promptName} has no argument ${unknown}`, didYouMean(unknown, names))
}
