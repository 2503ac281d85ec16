import { type Command, defineCommand } from '../command.ts'
import { withClient } from '../target/open.ts'

/** `portcall discover`: what a server says about itself. */
export const discover: Command = defineCommand({
  name: 'discover',
  summary: 'Shows what a server says about itself',
  takes: 'target',
  words: [],
  flags: {},
  examples: ['portcall discover https://api.example.com/mcp'],
  run: async ({ io, ...given }) =>
    withClient({ ...given, io }, async (client) => {
      const { serverInfo, ...result } = await client.discover({ signal: io.signal })
      if (io.json) return io.value({ ...result, ...(serverInfo && { serverInfo }) })
      const { name = 'a server without a name', title, version = '', description, websiteUrl } = serverInfo ?? {}
      io.data(`${title ?? name} ${version}`.trim())
      for (const line of [description, websiteUrl]) if (line) io.data(line)
      io.data(`capabilities: ${Object.keys(result.capabilities).join(', ') || 'none'}`)
      if (result.instructions) io.data(`\n${result.instructions}`)
    }),
})
