import { expandTemplate } from '../../client.ts'
import { assemble } from '../arguments/coerce.ts'
import { readPairs } from '../arguments/pair.ts'
import { type Command, defineCommand } from '../command.ts'
import { showContents } from '../show/blocks.ts'
import { withClient } from '../target/open.ts'

/** `portcall read`: reads a resource. */
export const read: Command = defineCommand({
  name: 'read',
  summary: 'Reads a resource',
  takes: 'target',
  words: ['URI', '[VARIABLE …]'],
  details: ['URI may be a template; then each VARIABLE is name=text.'],
  flags: { save: { type: 'string', value: 'FOLDER', description: 'Save what is no text there' } },
  examples: [
    'portcall read http://127.0.0.1:3000/mcp notes://errors.md',
    "portcall read http://127.0.0.1:3000/mcp 'notes://{path}' path=errors.md",
  ],
  run: async ({ words: [uri = '', ...rest], flags, io, ...given }) =>
    withClient({ ...given, flags, io }, async (client) => {
      const variables = assemble(await readPairs(rest))
      const result = await client.read(rest.length > 0 ? expandTemplate(uri, variables as Record<string, string>) : uri, {
        signal: io.signal,
      })
      if (io.json) return io.value(result)
      for (const contents of result.contents) io.data(await showContents(contents, flags.save))
    }),
})
