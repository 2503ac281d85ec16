import { expandTemplate } from 'portcall/client'
import { buildArguments, readArguments } from '../arguments.ts'
import { type Command, defineCommand } from '../command.ts'
import { formatResourceContents } from '../print-result.ts'
import { withClient } from '../target/connect.ts'

/** `portcall read` */
export const readCommand: Command = defineCommand({
  name: 'read',
  summary: 'Read a resource',
  serverUse: 'connect',
  args: ['<uri>', '[variables...]'],
  details: ['The URI may be a template. Pass its variables as name=text.'],
  flags: { save: { type: 'string', value: 'DIR', description: 'Save binary content to this directory' } },
  examples: [
    'portcall read http://127.0.0.1:3000/mcp notes://errors.md',
    "portcall read http://127.0.0.1:3000/mcp 'notes://{path}' path=errors.md",
  ],
  run: async ({ args: [uriOrTemplate = '', ...words], flags, io, ...invocation }) =>
    withClient({ ...invocation, flags, io }, async (client) => {
      const variables = buildArguments(await readArguments(words)) as Record<string, string>
      const uri = words.length > 0 ? expandTemplate(uriOrTemplate, variables) : uriOrTemplate
      const result = await client.readResource(uri, { signal: io.signal })
      if (io.json) return io.value(result)
      for (const contents of result.contents) io.data(await formatResourceContents(contents, flags.save))
    }),
})
